import * as z from 'zod/mini';
import type { AwardClaim } from '../award/claim.ts';
import { Cents } from '../money.ts';
import type { RefundOfTransaction } from '../reversal/reversal.ts';
import type { Order } from './order.ts';

/** A full or partial refund, which a merchant reports for an order or for what a transaction token moved. */
export const Refund = z.object({
  uuid: z.string(),
  /** The UUID of the order; of a transaction of the token, if no order was reported. */
  refundedUuid: z.string(),
  /** The refund's id in the merchant's system. Unique per order, or per token. */
  externalRefundId: z.string(),
  amountCents: Cents,
  /** APPLIED once every award of the order is reversed as far as the refund requires. */
  state: z.enum(['PENDING', 'APPLIED']),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Refund = z.infer<typeof Refund>;

/** A refund as its merchant reports it. */
export type ReportedRefund = Pick<Refund, 'externalRefundId' | 'amountCents'>;

/** What refunds are reported for: an order, or the claim of a spent token without an order. */
export type Refundable = Order | AwardClaim;

/** Whether refunds are reported for an order. */
export const isOrder = (refundable: Refundable): refundable is Order => 'externalOrderId' in refundable;

/** The UUID under which refunds are announced: the order's, or that of the token's first transaction. */
export function refundedUuidOf(refundable: Refundable): string {
  return isOrder(refundable) ? refundable.uuid : (refundable.rewards[0]?.uuid ?? '');
}

/** Everything that was captured; refunds are parts of it. */
export const refundableCentsOf = (refundable: Refundable): number =>
  isOrder(refundable) ? refundable.totalCents : refundable.amountCents;

/** Makes a new refund. Its reversals are decided later. */
export function receiveRefund(refundedUuid: string, reported: ReportedRefund & { uuid: string }, now: Date): Refund {
  const at = now.toISOString();
  return { ...reported, refundedUuid, state: 'PENDING', createdAt: at, updatedAt: at };
}

/** Makes the refunds of one transaction: their share is the refunded part of what the customer paid. */
export function refundsOfTransaction(refunds: readonly Refund[], of: Refundable): RefundOfTransaction[] {
  const capturedCents = refundableCentsOf(of);
  return refunds.map(({ uuid, refundedUuid, createdAt: receivedAt, amountCents }) => ({
    ...{ uuid, refundedUuid, receivedAt, amountCents, capturedCents },
  }));
}

/** Applies refunds to their order, which becomes REFUNDED when nothing of its total is left. */
export function withRefundsApplied(order: Order, refunds: readonly Refund[], now: Date): Order {
  const refundsAppliedCents = refunds.reduce((sum, { amountCents }) => sum + amountCents, order.refundsAppliedCents);
  const isOver = refundsAppliedCents >= order.totalCents;
  return { ...order, refundsAppliedCents, ...(isOver && { state: 'REFUNDED' }), updatedAt: now.toISOString() };
}

/** Whether every refund of an order is applied. About what a token moved, only its refunds can tell. */
export const areRefundsApplied = (of: Refundable): boolean =>
  isOrder(of) && of.refundsAppliedCents === of.refundedCents;

/** Whether a run applies the refunds at the moment. Others leave them to it, and new ones need no announcement. */
export const hasTurn = ({ refundTurnUntil = '' }: Refundable, now: Date): boolean =>
  now.toISOString() < refundTurnUntil;
