import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { type AwardRejection, awardRejections } from '../../domain/award/finalization.ts';
import type { Order, OrderState } from '../../domain/order/order.ts';
import { eligibleCents } from '../../domain/order/purchase-details.ts';
import type { OrderWithRewards } from '../../operations/order/get-order.ts';
import { datetime } from '../wire.ts';
import { ExternalRefund, refundView } from './refund.ts';
import { PartnerKeyTransaction, partnerKeyView } from './reward-transaction.ts';

const statuses = {
  PENDING: 'pending',
  PROCESSED: 'processed',
  REJECTED: 'rejected',
  REFUNDED: 'refunded',
} as const satisfies Record<OrderState, string>;

/** Specification, "External order request and result": ids are text here, and the amount is in cents. */
export const ExternalOrder = z.object({
  order_id: described("The platform's id of the order, not the merchant's own.", z.uuid()),
  external_order_id: described("The order's reference in the merchant's system.", z.string()),
  merchant_id: described('Merchant of the order, as text.', z.string()),
  user_id: described('User of the order, as text.', z.string()),
  total_amount: described('Total of the order, in cents.', z.int()),
  status: described(
    'pending: the rewards are not decided yet. processed: they are decided. rejected: the order earns nothing. refunded: it was refunded in full.',
    z.enum(Object.values(statuses)),
  ),
  created_date: described('Time at which the order was registered.', datetime),
});

/** A new order as endpoint 11 shows it, for the documentation. */
export const externalOrderExample: z.input<typeof ExternalOrder> = {
  order_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06',
  external_order_id: 'order-1001',
  merchant_id: '1',
  user_id: '42',
  total_amount: 4250,
  status: 'pending',
  created_date: '2026-03-02T09:30:00.000Z',
};

const reasons = Object.keys(awardRejections) as [AwardRejection, ...AwardRejection[]];

/** Our addition: an order with the reason of its rejection, its rewards and its refunds. */
export const OrderDetails = z.extend(ExternalOrder, {
  eligible_amount: described('Cents that can earn: the subtotal less the discount, and at most the total.', z.int()),
  refunded_amount: described('Cents: the sum of the reported refunds.', z.int()),
  reason: described('Why the order was not rewarded; null for every other order.', z.nullable(z.enum(reasons))),
  message: described('The reason, for people. The text may change.', z.nullable(z.string())),
  last_updated_date: described('Time of the last change of status.', datetime),
  rewards: described(
    'The reward transactions of the order; null if the key may not read transactions.',
    z.nullable(z.array(PartnerKeyTransaction)),
  ),
  refunds: described('The refunds of the order, the oldest first.', z.array(ExternalRefund)),
});

/**
 * The order with its details.
 *
 * @param showsRewards whether the caller may read transactions; otherwise `rewards` is null
 */
export function orderDetailsView(
  { order, refunds, transactions }: OrderWithRewards,
  showsRewards: boolean,
): z.input<typeof OrderDetails> {
  const { rejection = null } = order;
  return {
    ...orderView(order),
    eligible_amount: eligibleCents(order),
    refunded_amount: order.refundedCents,
    reason: rejection,
    message: rejection && awardRejections[rejection],
    last_updated_date: order.updatedAt,
    rewards: showsRewards ? transactions.map(partnerKeyView) : null,
    refunds: refunds.map(refundView),
  };
}

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
