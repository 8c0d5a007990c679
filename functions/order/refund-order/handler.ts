import { receiveRefund } from '../../../shared/domain/order/refund.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { refundView } from '../../../shared/http/views/refund.ts';
import { Orders } from '../../../shared/store/order/orders.ts';
import { OrderRefunds, RefundExceedsOrderError, RefundExistsError } from '../../../shared/store/order/refunds.ts';
import { contract } from './contract.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Takes note of a refund; what it takes back is worked out after the reply. */
export const handler = endpoint(
  contract,
  { orders: Orders, refunds: OrderRefunds },
  async ({ params, body, caller, platform, refuse }) => {
    const order = uuid.test(params.order_id) ? await platform.orders.find(params.order_id) : undefined;
    if (order?.merchantId !== caller.organisationId) {
      return refuse('order_does_not_exist', 'The order does not exist');
    }
    const told = { uuid: platform.nextUuid(), externalRefundId: body.refund_external_id, amountCents: body.amount };
    const refund = receiveRefund(order, told, platform.now());
    try {
      await platform.refunds.add(order, refund, platform.nextUuid());
      return refundView(refund);
    } catch (error) {
      if (error instanceof RefundExceedsOrderError) {
        return refuse('refund_exceeds_order', 'The refunds of the order would be more than its total');
      }
      if (!(error instanceof RefundExistsError)) throw error;
      // The same refund, told of again, is one refund: its reply shows it as it is by now.
      if (error.refund.amountCents === body.amount) return refundView(error.refund);
      return refuse('refund_already_exists', 'The refund id was used before, for another amount');
    }
  },
);
