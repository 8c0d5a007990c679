import type { AwardRequest } from '../award/decide-awards.ts';
import { eligibleCents, type Order } from './order.ts';

/**
 * An order as something to be rewarded, by the campaigns that ran when it came. Its place is that of the
 * order's purchase, so endpoints 1 and 2 answer for the order as for one of their own.
 */
export function awardRequestForOrder(order: Order): AwardRequest {
  const { uuid: orderUuid, merchantId, externalOrderId: externalTransactionId, totalCents: amountCents } = order;
  return {
    event: { trigger: { type: 'SPEND' }, at: new Date(order.createdAt), amountCents: eligibleCents(order) },
    basis: { merchantId, externalTransactionId, amountCents, orderUuid },
  };
}
