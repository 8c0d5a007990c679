import { contract } from '../../functions/order/create-order/contract.ts';
import { handler } from '../../functions/order/create-order/handler.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import type { InternalEvent } from '../../shared/events/platform-event.ts';
import { type Answer, call } from './call.ts';
import { outboxEvents } from './outbox.ts';
import type { World } from './world.ts';

let orders = 0;

/** The body of an order of $100 by the world's linked member, with tax on top. */
export const anOrderBody = (more: object = {}) => ({
  user: { merchant_external_id: 'cc-1001' },
  transaction_total: 10_800,
  transaction_subtotal: 10_000,
  order_external_id: `order-${++orders}`,
  ...more,
});

/** Posts an order to endpoint 11, as the world's merchant unless another key is given. */
export function postOrder({ demo }: World, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return call(handler, contract, { headers: { 'x-api-key': demo.merchant.apiKey, ...headers }, body });
}

/** The order that a reply tells of, as it is now. */
export async function orderOf({ platform }: World, { body }: Answer): Promise<Order> {
  const order = await platform.orders.find(body.data.order_id);
  if (!order) throw new Error('the order was not written');
  return order;
}

/** The event that announces an order. */
export async function announcementOf(world: World, { uuid }: Order): Promise<InternalEvent> {
  const event = (await outboxEvents(world)).find(({ entityId }) => entityId === uuid);
  if (event?.name !== 'order_received') throw new Error('the order was not announced');
  return event;
}
