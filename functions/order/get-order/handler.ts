import { endpoint } from '../../../shared/http/endpoint.ts';
import { orderDetailsView } from '../../../shared/http/views/order.ts';
import { getOrder, getOrderStores } from '../../../shared/operations/order/get-order.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getOrderStores, async ({ params, caller, deps }) => {
  const found = await getOrder({ merchantId: caller.organisationId, id: params.order_id }, deps);
  // Transactions are visible only to a key that may read them.
  return orderDetailsView(found, caller.permissions.includes('transactions:read'));
});
