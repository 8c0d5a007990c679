import * as z from 'zod/mini';
import { amountOf, kindOf, type MovementRule, movementTable, ruleFor, transactionKinds } from './movement-table.ts';
import type { RewardTransaction } from './reward-transaction.ts';

const CampaignReference = z.object({ id: z.int(), partnershipUuid: z.string() });
export type CampaignReference = z.infer<typeof CampaignReference>;

/**
 * The kinds of entries whose points and cashback count in no total of a campaign or partnership. An adjustment makes
 * the balance what a partner's own program says, or writes points off; a manual adjustment is the decision of an
 * operator. A payout moves cashback into a payout batch, and its return moves the cashback back. A merge moves the
 * balance, the totals and the cashback of an account to another user.
 */
const uncountedKinds = [
  'OPENING',
  'SHORTFALL',
  'SETTLEMENT',
  'ADJUSTMENT',
  'MANUAL_ADJUSTMENT',
  'PAYOUT',
  'PAYOUT_RETURN',
  'MERGED_OUT',
  'MERGED_IN',
] as const;
type UncountedKind = (typeof uncountedKinds)[number];

/** One entry of the ledger of a member in one program. Never changed: a correction is a new entry. */
export const LedgerEntry = z.object({
  userId: z.int(),
  partnerId: z.int(),
  /** The campaign of the transaction; null for the entries of openings, settlements and adjustments. */
  campaign: z.nullable(CampaignReference),
  /** The campaigns that count the member as registered, because of an award or because the account was opened. */
  registers: z.optional(z.array(CampaignReference)),
  transactionId: z.int(),
  transactionUuid: z.string(),
  kind: z.enum([...transactionKinds, ...uncountedKinds]),
  /** Signed: the change of the balance. */
  points: z.int(),
  /** Whether the points belong to a different program than the campaign. True for one leg of a transfer. */
  isForeign: z.optional(z.boolean()),
  /** Signed: cashback that was awarded or reversed, in cents. */
  cashbackCents: z._default(z.int(), 0),
  /** Cashback that a batch pays out to the member, in cents; below zero when the payout was returned. */
  payout: z.optional(z.object({ partnershipUuid: z.string(), cents: z.int() })),
  /**
   * What a merge moves in addition to points and cashback: signed totals, and the part of the points that was an
   * opening balance.
   */
  merged: z.optional(z.object({ earned: z.int(), redeemed: z.int(), opened: z.int() })),
  createdAt: z.string(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** An account that a member has from `createdAt` on, and the points that the account brings. */
interface Opening {
  readonly partnerId: number;
  readonly points: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Makes the ledger entry of the points that an account has when the member links it. */
export function openingEntry(user: { readonly id: number; readonly uuid: string }, opening: Opening): LedgerEntry {
  const { partnerId, points, createdAt } = opening;
  return {
    userId: user.id,
    partnerId,
    campaign: null,
    transactionId: user.id,
    transactionUuid: user.uuid,
    kind: 'OPENING',
    points,
    cashbackCents: 0,
    createdAt,
  };
}

/**
 * Makes the ledger entries of a transaction that the loyalty program confirms. A reversal with a shortfall has a second
 * entry for the shortfall.
 */
export function toLedgerEntries(transaction: RewardTransaction, now: Date): LedgerEntry[] {
  const { cashback, ledger = {} } = ruleFor('complete', transaction);
  const ownKind = kindOf(transaction);
  const entry = {
    userId: transaction.userId,
    partnerId: transaction.partnerId,
    campaign: { id: transaction.campaignId, partnershipUuid: transaction.partnershipUuid },
    transactionId: transaction.id,
    transactionUuid: transaction.uuid,
    ...(transaction.isForeign && { isForeign: true }),
    createdAt: now.toISOString(),
  };
  const own: LedgerEntry = {
    ...entry,
    ...(isCountedRegistration(transaction) && { registers: [entry.campaign] }),
    kind: ownKind,
    points: amountOf(ledger[ownKind], transaction),
    cashbackCents: amountOf(cashback, transaction),
  };
  const shortfall = amountOf(ledger.SHORTFALL, transaction);
  return shortfall === 0 ? [own] : [own, { ...entry, kind: 'SHORTFALL', points: shortfall, cashbackCents: 0 }];
}

/** One decision may make several transactions. Only the first of them counts the member as registered. */
const isCountedRegistration = ({ isRegistration, reverses, id, snapshotId }: RewardTransaction) =>
  isRegistration && !reverses && id === snapshotId;

/**
 * Makes the ledger entry of a settlement: a transition returned points to the member, and these points settle what the
 * member owes. The entry is positive if a reversal is rejected after points had settled its shortfall: then these
 * points come back.
 */
export function toSettlementEntry(
  { userId, partnerId, id, uuid }: Pick<RewardTransaction, 'userId' | 'partnerId' | 'id' | 'uuid'>,
  points: number,
  now: Date,
): LedgerEntry {
  const own = { userId, partnerId, campaign: null, transactionId: id, transactionUuid: uuid };
  return { ...own, kind: 'SETTLEMENT', points, cashbackCents: 0, createdAt: now.toISOString() };
}

/** Whether the points and the cashback of an entry count in no total of a campaign or partnership. */
export function isUncounted(kind: LedgerEntry['kind']): kind is UncountedKind {
  return uncountedKinds.some((uncounted) => uncounted === kind);
}

/**
 * The points that an entry adds to the earned and the redeemed total of the member, according to the movement table.
 */
export function totalsOfEntry({ kind, points, merged }: Pick<LedgerEntry, 'kind' | 'points' | 'merged'>) {
  if (isUncounted(kind)) return { earned: merged?.earned ?? 0, redeemed: merged?.redeemed ?? 0 };
  const { earned, redeemed }: MovementRule = movementTable.complete[kind];
  // Entries of payments are negative, but the redeemed total is positive. `0 - points` avoids the negative zero of
  // JavaScript.
  return { earned: earned ? points : 0, redeemed: redeemed ? 0 - points : 0 };
}
