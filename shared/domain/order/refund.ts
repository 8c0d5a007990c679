import * as z from 'zod/mini';
import { Cents } from '../money.ts';
import type { RefundOfTransaction } from '../reversal/reversal.ts';
import type { Order } from './order.ts';

/** Money of an order that its merchant refunded. */
export const Refund = z.object({
  uuid: z.string(),
  orderUuid: z.string(),
  /** The refund's id in the merchant's system, unique for the order. */
  externalRefundId: z.string(),
  amountCents: Cents,
  /** Applied when every award of the order is reversed as far as the refund covers it. */
  state: z.enum(['PENDING', 'APPLIED']),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Refund = z.infer<typeof Refund>;

/** Makes a new refund. What it reverses is decided later. */
export function receiveRefund(
  { uuid: orderUuid }: Order,
  reported: Pick<Refund, 'uuid' | 'externalRefundId' | 'amountCents'>,
  now: Date,
): Refund {
  const at = now.toISOString();
  return { ...reported, orderUuid, state: 'PENDING', createdAt: at, updatedAt: at };
}

/** The refund of an order, from the view of one transaction: a part of the total that the customer paid. */
export function refundOfTransaction(refund: Refund, order: Order): RefundOfTransaction {
  const { uuid, orderUuid, createdAt: receivedAt, amountCents } = refund;
  return { uuid, refundedUuid: orderUuid, receivedAt, amountCents, capturedCents: order.totalCents };
}

/** Applies a refund to its order, which becomes REFUNDED when nothing of its total is left. */
export function withRefundApplied(order: Order, { amountCents }: Refund, now: Date): Order {
  const refundsAppliedCents = order.refundsAppliedCents + amountCents;
  const isOver = refundsAppliedCents >= order.totalCents;
  return { ...order, refundsAppliedCents, ...(isOver && { state: 'REFUNDED' }), updatedAt: now.toISOString() };
}
