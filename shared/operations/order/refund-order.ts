import { plainError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import {
  type Refund,
  type Refundable,
  type ReportedRefund,
  receiveRefund,
  refundedUuidOf,
} from '../../domain/order/refund.ts';
import { Orders } from '../../store/order/orders.ts';
import { RefundExistsError, Refunds } from '../../store/order/refunds.ts';
import type { Deps, Replying } from '../operation.ts';

const addRefundStores = { refunds: Refunds };
export const refundOrderStores = { ...addRefundStores, orders: Orders };

/** A refund of an order, as its merchant reports it. */
export interface OrderRefund extends ReportedRefund {
  readonly merchantId: number;
  readonly orderUuid: string;
}

/** The order does not exist, or belongs to another merchant. */
export class OrderNotFoundError extends plainError('OrderNotFoundError', 'The order does not exist') {}

/**
 * Records a refund of an order.
 *
 * @returns the refund in its present state
 * @throws OrderNotFoundError
 * @throws RefundExceedsTotalError
 * @throws RefundExistsError when the refund id was used for another amount
 */
export async function refundOrder(
  { merchantId, orderUuid, ...reported }: OrderRefund,
  deps: Deps<typeof refundOrderStores> & Replying<Refund>,
): Promise<Refund> {
  const order = isUuid(orderUuid) ? await deps.orders.find(orderUuid) : undefined;
  if (order?.merchantId !== merchantId) throw new OrderNotFoundError();
  return addRefund(order, reported, deps);
}

/**
 * Records a refund. Afterwards, a consumer decides which rewards the refund reverses. A refund that is reported twice
 * is recorded once.
 *
 * @returns the refund in its present state
 * @throws RefundExceedsTotalError
 * @throws RefundExistsError when the refund id was used for another amount
 */
export async function addRefund(
  of: Refundable,
  reported: ReportedRefund,
  { refunds, nextUuid, now: readClock, replyWrites }: Deps<typeof addRefundStores> & Replying<Refund>,
): Promise<Refund> {
  const now = readClock();
  const refund = receiveRefund(refundedUuidOf(of), { ...reported, uuid: nextUuid() }, now);
  try {
    await refunds.add(of, refund, { now, nextUuid, replyWrites: replyWrites?.(refund) });
    return refund;
  } catch (error) {
    if (!(error instanceof RefundExistsError) || error.refund.amountCents !== reported.amountCents) throw error;
    const { uuid } = error.refund;
    const found = await refunds.findWith(of);
    return found?.refunds.find((one) => one.uuid === uuid) ?? error.refund;
  }
}
