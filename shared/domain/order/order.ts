import * as z from 'zod/mini';
import type { AwardRequest } from '../award/decide-awards.ts';
import { type AwardRejection, finalization, finalized, pendingFinalization } from '../award/finalization.ts';
import { Cents } from '../money.ts';

/**
 * The states of an external order and their allowed transitions. The conditions of the writes are made from them.
 */
export const orderTransitions = {
  PENDING: ['PROCESSED', 'REJECTED'],
  PROCESSED: ['REFUNDED'],
  REJECTED: ['REFUNDED'],
  REFUNDED: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderState = keyof typeof orderTransitions;
export const orderStates = Object.keys(orderTransitions) as [OrderState, ...OrderState[]];

const LineItem = z.object({
  productId: z.optional(z.string()),
  productName: z.optional(z.string()),
  priceCents: z.optional(Cents),
});

/** An order of the merchant's own system, with the user whom it may be awarded to. */
export const Order = z.object({
  uuid: z.string(),
  merchantId: z.int(),
  /** The order's id in the merchant's system, unique for the merchant. */
  externalOrderId: z.string(),
  userId: z.int(),
  totalCents: Cents,
  /** Before taxes and fees. */
  subtotalCents: Cents,
  discountCents: Cents,
  paymentId: z.nullable(z.string()),
  lineItems: z.array(LineItem),
  state: z.enum(orderStates),
  ...finalization,
  /** The refunded part of the total: of all accepted refunds, and of the applied ones. */
  refundedCents: z._default(Cents, 0),
  refundsAppliedCents: z._default(Cents, 0),
  /** The request that created it, if it had an idempotency key. */
  receivedBy: z.optional(z.string()),
  createdAt: z.string(),
});
export type Order = z.infer<typeof Order>;

/** The merchant's key of an order. */
export type OrderKey = Pick<Order, 'merchantId' | 'externalOrderId'>;

/** An order as its merchant reports it. */
export type ReceivedOrder = Omit<
  Order,
  'state' | keyof typeof finalization | 'refundedCents' | 'refundsAppliedCents' | 'createdAt'
>;

/** Makes a new order. Its awards are decided later. */
export function receiveOrder(received: ReceivedOrder, now: Date): Order {
  const at = now.toISOString();
  return {
    ...received,
    ...pendingFinalization(at),
    state: 'PENDING',
    refundedCents: 0,
    refundsAppliedCents: 0,
    createdAt: at,
  };
}

/** The part of an order that is awarded: without taxes, fees and tips (docs/gaps.md, "Endpoints"). */
export function eligibleCents({ subtotalCents, discountCents }: Order): number {
  return subtotalCents - discountCents;
}

/** Finalizes an order whose awards are all written. Without any award it is rejected. */
export function finalizeOrder(order: Order, rejection: AwardRejection, now: Date): Order {
  return { ...order, ...finalized(order, rejection, now) };
}

/** The states from which an order may become `next`. */
export function orderStatesBefore(next: OrderState): OrderState[] {
  return orderStates.filter((state) => (orderTransitions[state] as readonly OrderState[]).includes(next));
}

/**
 * The award request of an order, at the time of its arrival. Its claim key is that of the order's purchase, so
 * endpoints 1 and 2 answer for an awarded order as for a spent token.
 */
export function awardRequestForOrder(order: Order): AwardRequest {
  const { uuid: orderUuid, merchantId, externalOrderId: externalTransactionId, totalCents: amountCents } = order;
  return {
    event: { trigger: { type: 'SPEND' }, at: new Date(order.createdAt), amountCents: eligibleCents(order) },
    basis: { merchantId, externalTransactionId, amountCents, orderUuid },
  };
}
