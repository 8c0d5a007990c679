import { plainError } from '../domain/errors.ts';
import { isUuid } from '../domain/ids.ts';
import { type Refund, receiveRefund } from '../domain/order/order.ts';
import { OrderRefunds, Orders, RefundExistsError } from '../store/order/orders.ts';
import type { Deps, Replying } from './operation.ts';

export const refundOrderStores = { orders: Orders, refunds: OrderRefunds };

/** A refund of an order, as its merchant reports it. */
export interface RefundRequest {
  readonly merchantId: number;
  readonly orderUuid: string;
  readonly externalRefundId: string;
  readonly amountCents: number;
}

/** The order does not exist, or is another merchant's. */
export class OrderNotFoundError extends plainError('OrderNotFoundError', 'The order does not exist') {}

/**
 * Records a refund. What it reverses is decided afterwards. The same refund, reported again, is one refund.
 *
 * @returns the refund in its present state
 * @throws OrderNotFoundError
 * @throws RefundExceedsOrderError
 * @throws RefundExistsError when the refund id was used for another amount
 */
export async function refundOrder(
  { merchantId, orderUuid, externalRefundId, amountCents }: RefundRequest,
  deps: Deps<typeof refundOrderStores> & Replying<Refund>,
): Promise<Refund> {
  const order = isUuid(orderUuid) ? await deps.orders.find(orderUuid) : undefined;
  if (order?.merchantId !== merchantId) throw new OrderNotFoundError();
  const { nextUuid, now: readClock } = deps;
  const now = readClock();
  const refund = receiveRefund(order, { uuid: nextUuid(), externalRefundId, amountCents }, now);
  try {
    await deps.refunds.add(order, refund, { now, nextUuid, replyWrites: deps.replyWrites?.(refund) });
    return refund;
  } catch (error) {
    if (error instanceof RefundExistsError && error.refund.amountCents === amountCents) return error.refund;
    throw error;
  }
}
