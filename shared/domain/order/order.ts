import * as z from 'zod/mini';
import { type AwardRejection, finalization, finalized, pendingFinalization } from '../award/finalization.ts';
import { Cents } from '../money.ts';

/**
 * The states of an external order and the ways from one to the next, as data: what may change is read
 * from here, by the core and by the conditions of the writes.
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

/** An order of an outside system, tied to the user that it may earn for. */
export const Order = z.object({
  uuid: z.string(),
  merchantId: z.int(),
  /** The order's id in the merchant's system; the merchant has one order of it. */
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
  /** What refunds gave back of the total, in all that were accepted, and in those that were applied. */
  refundedCents: z._default(Cents, 0),
  refundsAppliedCents: z._default(Cents, 0),
  /** The request that brought it, when it named itself with an idempotency key. */
  receivedBy: z.optional(z.string()),
  createdAt: z.string(),
});
export type Order = z.infer<typeof Order>;

/** What identifies an order beside its UUID. */
export type OrderKey = Pick<Order, 'merchantId' | 'externalOrderId'>;

/** An order as a merchant tells of it. */
export type ReceivedOrder = Omit<
  Order,
  'state' | keyof typeof finalization | 'refundedCents' | 'refundsAppliedCents' | 'createdAt'
>;

/** A new order; what it earns is decided later. */
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

/** What of an order earns: taxes, fees and tips never do (docs/gaps.md, "Endpoints"). */
export function eligibleCents({ subtotalCents, discountCents }: Order): number {
  return subtotalCents - discountCents;
}

/** The order when everything that it earns is written: rejected when that is nothing. */
export function finalizeOrder(order: Order, rejection: AwardRejection, now: Date): Order {
  return { ...order, ...finalized(order, rejection, now) };
}

/** The states that an order may be in for it to become `next`. */
export function orderStatesBefore(next: OrderState): OrderState[] {
  return orderStates.filter((state) => (orderTransitions[state] as readonly OrderState[]).includes(next));
}
