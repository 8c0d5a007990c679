import * as z from 'zod/mini';
import type { RewardTransaction } from './reward-transaction.ts';

const CampaignReference = z.object({ id: z.int(), partnershipUuid: z.string() });
export type CampaignReference = z.infer<typeof CampaignReference>;

/** One movement of a member's points in one program. Never changed: a correction is a new entry. */
export const LedgerEntry = z.object({
  userId: z.int(),
  partnerId: z.int(),
  /** Where it was earned or redeemed; null for what no campaign moved. */
  campaign: z.nullable(CampaignReference),
  /** The campaigns that count the member as registered by this: by its award, or by the account that it opened. */
  registers: z.optional(z.array(CampaignReference)),
  transactionId: z.int(),
  transactionUuid: z.string(),
  kind: z.enum(['OPENING', 'EARN', 'REDEEM', 'EARN_REVERSAL', 'REDEEM_REVERSAL', 'SHORTFALL']),
  /** Signed: what the balance changed by. */
  points: z.int(),
  /** Whether the points are of another program than the campaign's: one leg of a transfer is. */
  isForeign: z.optional(z.boolean()),
  /** Signed: money that was awarded or taken back, in cents. */
  cashbackCents: z._default(z.int(), 0),
  createdAt: z.string(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/**
 * The entry of a transaction that the loyalty program confirmed.
 *
 * @throws RangeError for a reversal, whose entries are `reversalEntries`
 */
export function ledgerEntryOf(transaction: RewardTransaction, now: Date): LedgerEntry {
  if (transaction.reverses) throw new RangeError('a reversal is no award');
  const campaign = { id: transaction.campaignId, partnershipUuid: transaction.partnershipUuid };
  // One decision may have made several transactions: the first of them counts the member.
  const isRegistration = transaction.isRegistration && transaction.id === transaction.snapshotId;
  return {
    userId: transaction.userId,
    partnerId: transaction.partnerId,
    campaign,
    ...(isRegistration && { registers: [campaign] }),
    transactionId: transaction.id,
    transactionUuid: transaction.uuid,
    kind: transaction.type,
    points: transaction.type === 'EARN' ? transaction.points : -transaction.points,
    cashbackCents: transaction.cashbackCents,
    ...(transaction.isForeign && { isForeign: true }),
    createdAt: now.toISOString(),
  };
}

/** The points that a reversal really moves: what the member had spent already is not taken. */
export function movedPoints({ points, shortfallPoints = 0 }: RewardTransaction): number {
  return points - shortfallPoints;
}

/** The entries of a reversal that the program confirmed: what it takes back and, in a second one, what was spent already. */
export function reversalEntries(reversal: RewardTransaction, now: Date): LedgerEntry[] {
  const takes = reversal.type === 'EARN';
  const entry = {
    userId: reversal.userId,
    partnerId: reversal.partnerId,
    campaign: { id: reversal.campaignId, partnershipUuid: reversal.partnershipUuid },
    transactionId: reversal.id,
    transactionUuid: reversal.uuid,
    ...(reversal.isForeign && { isForeign: true }),
    createdAt: now.toISOString(),
  };
  const { points, cashbackCents, shortfallPoints = 0 } = reversal;
  const taken: LedgerEntry = {
    ...entry,
    kind: takes ? 'EARN_REVERSAL' : 'REDEEM_REVERSAL',
    points: takes ? 0 - points : points,
    cashbackCents: 0 - cashbackCents,
  };
  const short: LedgerEntry = { ...entry, kind: 'SHORTFALL', points: shortfallPoints, cashbackCents: 0 };
  return shortfallPoints > 0 ? [taken, short] : [taken];
}
