import { endpoint } from '../../../shared/http/endpoint.ts';
import { refundView } from '../../../shared/http/views/refund.ts';
import { refundOrder, refundOrderStores } from '../../../shared/operations/order/refund-order.ts';
import { contract } from './contract.ts';

/** Records a refund. The reversals are decided after the reply. */
export const handler = endpoint(contract, refundOrderStores, ({ params, body, caller, replyWith }) => {
  const { refund_external_id: externalRefundId, amount: amountCents } = body;
  const request = { merchantId: caller.organisationId, orderUuid: params.order_id, externalRefundId, amountCents };
  return replyWith(refundView, (deps) => refundOrder(request, deps));
});
