import * as z from 'zod/mini';
import type { Order, OrderState } from '../../domain/order/order.ts';
import { datetime } from '../wire.ts';

const statuses = {
  PENDING: 'pending',
  PROCESSED: 'processed',
  REJECTED: 'rejected',
  REFUNDED: 'refunded',
} as const satisfies Record<OrderState, string>;

/** Specification, "External order request and result": ids are text here, and the amount is in cents. */
export const ExternalOrder = z.object({
  order_id: z.uuid(),
  external_order_id: z.string(),
  merchant_id: z.string(),
  user_id: z.string(),
  total_amount: z.int(),
  status: z.enum(Object.values(statuses)),
  created_date: datetime,
});

/** The order as endpoint 11 shows it. */
export function orderView(order: Order): z.input<typeof ExternalOrder> {
  return {
    order_id: order.uuid,
    external_order_id: order.externalOrderId,
    merchant_id: String(order.merchantId),
    user_id: String(order.userId),
    total_amount: order.totalCents,
    status: statuses[order.state],
    created_date: order.createdAt,
  };
}
