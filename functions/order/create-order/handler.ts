import { endpoint } from '../../../shared/http/endpoint.ts';
import { orderView } from '../../../shared/http/views/order.ts';
import { createOrder, createOrderStores } from '../../../shared/operations/create-order.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, createOrderStores, async ({ body, caller, deps, requestName }) => {
  const order = await createOrder({ ...body, merchantId: caller.organisationId, receivedBy: requestName }, deps);
  return orderView(order);
});
