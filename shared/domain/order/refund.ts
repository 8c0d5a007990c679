import * as z from 'zod/mini';
import { Cents } from '../money.ts';
import type { RefundOfTransaction } from '../reversal/reversal.ts';
import type { Order } from './order.ts';

/** Money that a merchant gave back of an order. */
export const Refund = z.object({
  uuid: z.string(),
  orderUuid: z.string(),
  /** The refund's id in the merchant's system; the order has one refund of it. */
  externalRefundId: z.string(),
  amountCents: Cents,
  /** Applied once everything that the order was rewarded with is reversed as far as the refund goes. */
  state: z.enum(['PENDING', 'APPLIED']),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Refund = z.infer<typeof Refund>;

/** A new refund of an order; what it takes back is decided later. */
export function receiveRefund(
  { uuid: orderUuid }: Order,
  told: Pick<Refund, 'uuid' | 'externalRefundId' | 'amountCents'>,
  now: Date,
): Refund {
  const at = now.toISOString();
  return { ...told, orderUuid, state: 'PENDING', createdAt: at, updatedAt: at };
}

/** A refund, as each of the order's transactions sees it: a part of all that the customer paid. */
export function refundOfTransaction(refund: Refund, order: Order): RefundOfTransaction {
  const { uuid, orderUuid, createdAt: receivedAt, amountCents } = refund;
  return { uuid, refundedUuid: orderUuid, receivedAt, amountCents, capturedCents: order.totalCents };
}

/** The order once one of its refunds is applied: refunded, when nothing of it is left. */
export function withRefundApplied(order: Order, { amountCents }: Refund, now: Date): Order {
  const refundsAppliedCents = order.refundsAppliedCents + amountCents;
  const isOver = refundsAppliedCents >= order.totalCents;
  return { ...order, refundsAppliedCents, ...(isOver && { state: 'REFUNDED' }), updatedAt: now.toISOString() };
}
