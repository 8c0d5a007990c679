import * as z from 'zod/mini';
import { Cents } from '../money.ts';
import type { LedgerEntry } from './ledger-entry.ts';

/**
 * Payouts of cashback. A merchant owes its members the cashback of its campaigns, and pays it in batches. For each
 * member, the export of a batch writes a ledger entry that takes the amount out of the unpaid cashback. So no two
 * batches contain the same cent. When the merchant has sent the money, only the state of the batch changes.
 */

/** The states of a batch, and the states that may follow each. The conditions of writes are derived from this table. */
const payoutTransitions = {
  /** Members are being added. */
  OPEN: ['EXPORTED', 'RETURNING'],
  /** Complete. The merchant pays it. */
  EXPORTED: ['PAID', 'RETURNING'],
  PAID: [],
  /** The batch is not paid: its amounts are being returned to the unpaid cashback. */
  RETURNING: ['RETURNED'],
  RETURNED: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;
const payoutStates = ['OPEN', 'EXPORTED', 'PAID', 'RETURNING', 'RETURNED'] as const;
export type PayoutState = (typeof payoutStates)[number];

/** The states from which a batch may become `next`. */
export function payoutStatesBefore(next: PayoutState): PayoutState[] {
  return payoutStates.filter((state) => (payoutTransitions[state] as readonly PayoutState[]).includes(next));
}

/** A batch of payouts: the unpaid cashback of one partnership. */
export const PayoutBatch = z.object({
  id: z.int(),
  uuid: z.string(),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  /** Members with less unpaid cashback are left out. */
  minimumCents: z.int().check(z.gte(1)),
  state: z.enum(payoutStates),
  /** The reference that the payer gave to the payment. */
  reference: z.optional(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type PayoutBatch = z.infer<typeof PayoutBatch>;

/** The amount that one batch pays to one member. */
export const Payout = z.object({
  userId: z.int(),
  partnerId: z.int(),
  cents: Cents,
  isReturned: z.boolean(),
});
export type Payout = z.infer<typeof Payout>;

/** A payout, and the UUID of its batch. */
export interface PayoutInBatch extends Payout {
  readonly batchUuid: string;
}

/**
 * The unpaid cashback of a member under one partnership, in cents. Below zero when a refund reversed cashback that was
 * paid out; later awards make up for it.
 *
 * @param entries the ledger of the member's account
 */
export function unpaidCents(entries: readonly LedgerEntry[], partnershipUuid: string): number {
  return entries.reduce((cents, entry) => cents + unpaidChange(entry, partnershipUuid), 0);
}

function unpaidChange({ campaign, cashbackCents, payout }: LedgerEntry, partnershipUuid: string): number {
  const awarded = campaign?.partnershipUuid === partnershipUuid ? cashbackCents : 0;
  const paidOut = payout?.partnershipUuid === partnershipUuid ? payout.cents : 0;
  return awarded - paidOut;
}

/** The ids of the members with at least `minimumCents` of unpaid cashback under a partnership, sorted. */
export function findPayees(
  entries: readonly LedgerEntry[],
  { partnershipUuid, minimumCents }: Pick<PayoutBatch, 'partnershipUuid' | 'minimumCents'>,
): number[] {
  const unpaid = new Map<number, number>();
  for (const entry of entries) {
    const change = unpaidChange(entry, partnershipUuid);
    if (change !== 0) unpaid.set(entry.userId, (unpaid.get(entry.userId) ?? 0) + change);
  }
  const payees = [...unpaid].filter(([, cents]) => cents >= minimumCents).map(([userId]) => userId);
  return payees.sort((one, other) => one - other);
}

/**
 * Makes the ledger entry of a payout, or of its return. For each member, a batch has at most one entry of each kind.
 */
export function toPayoutEntry(
  { id, uuid, partnershipUuid }: PayoutBatch,
  { userId, partnerId, cents, isReturned }: Payout,
  now: Date,
): LedgerEntry {
  return {
    ...{ userId, partnerId, campaign: null, transactionId: id, transactionUuid: uuid },
    kind: isReturned ? 'PAYOUT_RETURN' : 'PAYOUT',
    points: 0,
    cashbackCents: 0,
    payout: { partnershipUuid, cents: isReturned ? 0 - cents : cents },
    createdAt: now.toISOString(),
  };
}

/** The sum of the payouts of a batch that were not returned. */
export const totalOf = (payouts: readonly Payout[]): number =>
  payouts.reduce((cents, payout) => cents + (payout.isReturned ? 0 : payout.cents), 0);
