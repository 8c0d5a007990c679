import { endpoint } from '../../../shared/http/endpoint.ts';
import { orderView } from '../../../shared/http/views/order.ts';
import { createOrder, createOrderStores } from '../../../shared/operations/order/create-order.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, createOrderStores, ({ body, caller, replyWith }) =>
  replyWith(orderView, (deps) => createOrder({ ...body, merchantId: caller.organisationId }, deps)),
);
