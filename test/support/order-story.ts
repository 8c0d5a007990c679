import { randomUUID } from 'node:crypto';
import { contract } from '../../functions/order/create-order/contract.ts';
import { handler } from '../../functions/order/create-order/handler.ts';
import { contract as refundContract } from '../../functions/order/refund-order/contract.ts';
import { handler as refund } from '../../functions/order/refund-order/handler.ts';
import { InternalEvent } from '../../shared/contracts/events.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import { type Answer, call } from './call.ts';
import { outboxEvents } from './outbox.ts';
import { comeToRest, settleOrder, settleRefund } from './settle.ts';
import type { Shopper } from './shoppers.ts';
import type { World } from './world.ts';

let orders = 0;

/** The body of an order of $100 plus tax by the world's linked member. */
export const anOrderBody = (more: object = {}) => ({
  user: { merchant_external_id: 'cc-1001' },
  transaction_total: 10_800,
  transaction_subtotal: 10_000,
  order_external_id: `order-${++orders}`,
  ...more,
});

/** Posts an order to endpoint 11, as the world's merchant by default. */
export function postOrder({ demo }: World, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return call(handler, contract, { headers: { 'x-api-key': demo.merchant.apiKey, ...headers }, body });
}

/** Reads the order that a reply names. */
export async function orderOf({ platform }: World, { body }: Answer): Promise<Order> {
  const order = await platform.orders.find(body.data.order_id);
  if (!order) throw new Error('the order was not written');
  return order;
}

/** Returns the event that announces an order. */
export async function announcementOf(world: World, { uuid }: Order): Promise<InternalEvent> {
  const [event] = await announcementsOf(world, uuid, 'order_received');
  if (!event) throw new Error('the order was not announced');
  return event;
}

/** Returns the events that announced an order or its refunds. */
export async function announcementsOf(
  world: World,
  uuid: string,
  name: InternalEvent['name'],
): Promise<InternalEvent[]> {
  const events = await outboxEvents(world);
  return events
    .filter((event) => event.name === name && event.entityId === uuid)
    .map((event) => InternalEvent.parse(event));
}

/** Requests a refund of an order, as the world's merchant by default. */
export function postRefund(
  { demo }: World,
  orderId: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const request = { params: { order_id: orderId }, headers: { 'x-api-key': demo.merchant.apiKey, ...headers }, body };
  return call(refund, refundContract, request);
}

/** A shopper's order of $108 with an eligible amount of $100, rewarded at once. */
export async function processedOrder(
  world: World,
  { externalId }: Shopper,
  externalOrderId: string = randomUUID(),
): Promise<Order> {
  const body = anOrderBody({ user: { merchant_external_id: externalId }, order_external_id: externalOrderId });
  const order = await orderOf(world, await postOrder(world, body));
  await settleOrder(await announcementOf(world, order), world.platform);
  return order;
}

/** Confirms every pending transaction, as the program would, and everything that its answers lead to. */
export const confirmAll = (world: World): Promise<void> =>
  comeToRest(world, ['purchase_changed', 'transaction_created']);

/** Processes the last event that announced a refund of an order. This applies all refunds of the order. */
export async function applyRefunds(world: World, { uuid }: Pick<Order, 'uuid'>): Promise<void> {
  const event = (await announcementsOf(world, uuid, 'refund_received')).at(-1);
  if (!event) throw new Error('no refund was announced');
  await settleRefund(event, world.platform);
}

/** Reports a refund of an order, in full by default, and applies it. Then the program confirms the reversals. */
export async function refundOrder(world: World, order: Order, amount = 10_800): Promise<void> {
  await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount });
  await applyRefunds(world, order);
  await confirmAll(world);
}
