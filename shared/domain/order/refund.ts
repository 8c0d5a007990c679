import * as z from 'zod/mini';
import type { AwardClaim } from '../award/claim.ts';
import { Cents } from '../money.ts';
import type { RefundOfTransaction } from '../reversal/reversal.ts';
import type { Order } from './order.ts';

/** A full or partial refund. A merchant reports it for an order, or for the transactions of a token. */
export const Refund = z.object({
  uuid: z.string(),
  /** The UUID of the order; if no order was reported, the UUID of a transaction of the token. */
  refundedUuid: z.string(),
  /** The refund's id in the merchant's system. It is unique for the order or the token. */
  externalRefundId: z.string(),
  amountCents: Cents,
  /** APPLIED when every award of the order is reversed as far as the refund requires. */
  state: z.enum(['PENDING', 'APPLIED']),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Refund = z.infer<typeof Refund>;

/** A refund as its merchant reports it. */
export type ReportedRefund = Pick<Refund, 'externalRefundId' | 'amountCents'>;

/** The subject of refunds: an order, or the claim of a spent token without an order. */
export type Refundable = Order | AwardClaim;

/** Whether the subject of refunds is an order. */
export const isOrder = (refundable: Refundable): refundable is Order => 'externalOrderId' in refundable;

/** The UUID under which refunds are announced: of the order, or of the token's first transaction. */
export function refundedUuidOf(refundable: Refundable): string {
  return isOrder(refundable) ? refundable.uuid : (refundable.rewards[0]?.uuid ?? '');
}

/** The captured amount. Refunds are parts of this amount. */
export const refundableCentsOf = (refundable: Refundable): number =>
  isOrder(refundable) ? refundable.totalCents : refundable.amountCents;

/** Makes a new refund. Its reversals are decided later. */
export function receiveRefund(refundedUuid: string, reported: ReportedRefund & { uuid: string }, now: Date): Refund {
  const at = now.toISOString();
  return { ...reported, refundedUuid, state: 'PENDING', createdAt: at, updatedAt: at };
}

/** The refunds in the form that reversals need: each with the captured amount of the purchase. */
export function refundsOfTransaction(refunds: readonly Refund[], of: Refundable): RefundOfTransaction[] {
  const capturedCents = refundableCentsOf(of);
  return refunds.map(({ uuid, refundedUuid, createdAt: receivedAt, amountCents }) => ({
    ...{ uuid, refundedUuid, receivedAt, amountCents, capturedCents },
  }));
}

/** Applies refunds to their order. The order becomes REFUNDED when its whole total is refunded. */
export function withRefundsApplied(order: Order, refunds: readonly Refund[], now: Date): Order {
  const refundsAppliedCents = refunds.reduce((sum, { amountCents }) => sum + amountCents, order.refundsAppliedCents);
  const isOver = refundsAppliedCents >= order.totalCents;
  return { ...order, refundsAppliedCents, ...(isOver && { state: 'REFUNDED' }), updatedAt: now.toISOString() };
}

/**
 * Whether every refund of an order is applied. Always false for a claim, because a claim does not record the sum of the
 * applied refunds.
 */
export const areRefundsApplied = (of: Refundable): boolean =>
  isOrder(of) && of.refundsAppliedCents === of.refundedCents;

/**
 * Whether a run has the turn to apply the refunds. While it has the turn, other runs do not apply refunds, and new
 * refunds need no announcement.
 */
export const hasTurn = ({ refundTurnUntil = '' }: Refundable, now: Date): boolean =>
  now.toISOString() < refundTurnUntil;
