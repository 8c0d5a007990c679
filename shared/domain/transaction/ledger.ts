import * as z from 'zod/mini';
import type { RewardTransaction } from './reward-transaction.ts';

/** One movement of a member's points in one program. Never changed: a correction is a new entry. */
export const LedgerEntry = z.object({
  userId: z.int(),
  partnerId: z.int(),
  /** Where it was earned or redeemed; null for what no campaign moved. */
  campaign: z.nullable(z.object({ id: z.int(), partnershipUuid: z.string() })),
  transactionId: z.int(),
  transactionUuid: z.string(),
  kind: z.enum(['OPENING', 'EARN', 'REDEEM']),
  /** Signed: what the balance changed by. */
  points: z.int(),
  /** Signed: money that was awarded or taken back, in cents. */
  cashbackCents: z._default(z.int(), 0),
  createdAt: z.string(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;

/** The entry of a transaction that the loyalty program confirmed. */
export function ledgerEntryOf(transaction: RewardTransaction, now: Date): LedgerEntry {
  return {
    userId: transaction.userId,
    partnerId: transaction.partnerId,
    campaign: { id: transaction.campaignId, partnershipUuid: transaction.partnershipUuid },
    transactionId: transaction.id,
    transactionUuid: transaction.uuid,
    kind: transaction.type,
    points: transaction.type === 'EARN' ? transaction.points : -transaction.points,
    cashbackCents: transaction.cashbackCents,
    createdAt: now.toISOString(),
  };
}
