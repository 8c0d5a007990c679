import * as z from 'zod/mini';
import type { AwardRequest, KnownPurchase } from '../award/decide-awards.ts';
import type { AwardRejection } from '../award/finalization.ts';
import { finalization, finalized, pendingFinalization } from '../award/finalization.ts';
import { moneyOf } from '../campaign/evaluation/reward.ts';
import { Attributes } from '../member/member.ts';
import { Cents } from '../money.ts';
import { describePurchase, eligibleCents, LineItem } from './purchase-details.ts';

/**
 * The states of an external order and their allowed transitions. The write conditions are built from this table.
 */
export const orderTransitions = {
  PENDING: ['PROCESSED', 'REJECTED'],
  PROCESSED: ['REFUNDED'],
  REJECTED: ['REFUNDED'],
  REFUNDED: [],
} as const satisfies Record<string, readonly string[]>;

export type OrderState = keyof typeof orderTransitions;
export const orderStates = Object.keys(orderTransitions) as [OrderState, ...OrderState[]];

/** An order that a merchant's system reports, for a user who may earn from it. */
export const Order = z.object({
  uuid: z.string(),
  merchantId: z.int(),
  /** The order's id in the merchant's system. Unique per merchant. */
  externalOrderId: z.string(),
  userId: z.int(),
  totalCents: Cents,
  /** Before taxes and fees. */
  subtotalCents: Cents,
  discountCents: Cents,
  paymentId: z.nullable(z.string()),
  lineItems: z.array(LineItem),
  /** Attributes of the whole order, as the merchant reports them, for conditions. */
  attributes: z.optional(Attributes),
  /** The program that the user chose for the order; without it, the user's default program at the merchant. */
  partnerId: z.optional(z.int()),
  state: z.enum(orderStates),
  ...finalization,
  /**
   * The refunded part of the total: the sum of all accepted refunds. `refundsAppliedCents` is the sum of the applied
   * refunds.
   */
  refundedCents: z._default(Cents, 0),
  refundsAppliedCents: z._default(Cents, 0),
  createdAt: z.string(),
});
export type Order = z.infer<typeof Order>;

/** What identifies an order: its merchant, and its id in the merchant's system. */
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

/** Finalizes an order when all its awards are written: PROCESSED with awards, REJECTED without awards. */
export function finalizeOrder(order: Order, rejection: AwardRejection, now: Date): Order {
  return { ...order, ...finalized(order, rejection, now) };
}

/** The states from which an order may become `next`. */
export function orderStatesBefore(next: OrderState): OrderState[] {
  return orderStates.filter((state) => (orderTransitions[state] as readonly OrderState[]).includes(next));
}

/**
 * The award request of an order. Its time is the arrival of the order. A token for the same external transaction has
 * the same claim key. So an external transaction is awarded only once: by its order or by a token. The part of the
 * order that was paid with points earns nothing.
 */
export function awardRequestForOrder(order: Order, known?: KnownPurchase): AwardRequest {
  const { uuid: orderUuid, merchantId, externalOrderId: externalTransactionId, totalCents } = order;
  const { paidCents = 0, countedCents = 0, partnerId = order.partnerId } = known ?? {};
  const amountCents = moneyOf(eligibleCents(order), totalCents, paidCents);
  const spendCents = Math.max(0, amountCents - countedCents);
  return {
    event: {
      ...describePurchase({ lineItems: order.lineItems, attributes: order.attributes ?? {} }),
      trigger: { type: 'SPEND' },
      at: new Date(order.createdAt),
      amountCents,
      spendCents,
      isPaidWithPoints: paidCents > 0 && amountCents === 0,
      ...(partnerId !== undefined && { partnerId }),
    },
    basis: {
      merchantId,
      externalTransactionId,
      amountCents: totalCents,
      orderUuid,
      ...(paidCents > 0 && { paidCents }),
    },
  };
}
