import { endpoint } from '../../../shared/http/endpoint.ts';
import { refundOfTransactionView } from '../../../shared/http/views/refund.ts';
import { refundTransaction, refundTransactionStores } from '../../../shared/operations/order/refund-transaction.ts';
import { contract } from './contract.ts';

/** Records a refund. The reversals are decided after the reply. */
export const handler = endpoint(contract, refundTransactionStores, ({ params, body, caller, replyWith }) => {
  const { refund_external_id: externalRefundId, amount: amountCents } = body;
  const { reward_transaction_id: transactionId } = params;
  const request = { merchantId: caller.organisationId, transactionId, externalRefundId, amountCents };
  return replyWith(refundOfTransactionView, (deps) => refundTransaction(request, deps));
});
