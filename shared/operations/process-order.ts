import type { InternalEvent } from '../contracts/events.ts';
import type { KnownPurchase } from '../domain/award/decide-awards.ts';
import { awardRequestForOrder, finalizeOrder, type Order } from '../domain/order/order.ts';
import { SpendCounter } from '../store/member/spend.ts';
import { Orders, orderChangeWrite, orderEndWrites } from '../store/order/orders.ts';
import { awardEvent, awardEventStores, findKnownPurchase, loadEarner } from './award-event.ts';
import { awardBatch } from './award-together.ts';
import type { Deps } from './operation.ts';

export const processOrderStores = { ...awardEventStores, orders: Orders, spend: SpendCounter };
type OrderDeps = Deps<typeof processOrderStores>;

/**
 * Awards external orders. Orders of one member are awarded together. The new transactions are pending until the program
 * confirms them.
 *
 * @returns for each event, the error of its order (as {@link processOrder} throws it), or undefined when the order is
 * done
 */
export function processOrders(events: readonly InternalEvent[], deps: OrderDeps): Promise<unknown[]> {
  const known = new Map<string, KnownPurchase>();
  return awardBatch<Order>(
    events.map(({ entityId }) => entityId),
    {
      find: async (entityId) => {
        const order = await findPending(entityId, deps);
        if (order) known.set(order.uuid, await findKnown(order, deps));
        return order;
      },
      keyOf: ({ userId, merchantId }) => `${userId} ${merchantId}`,
      requestOf: (order) => awardRequestForOrder(order, known.get(order.uuid)),
      loadEarner: (order, at) => loadEarner(order, at, deps),
      endWrites: (order, rejection) => orderEndWrites(finalizeOrder(order, rejection, deps.now()), deps.nextUuid),
      awardAlone: (entityId) => processOrder({ entityId }, deps),
    },
    deps,
  );
}

/**
 * Awards one external order.
 *
 * Safe to repeat from the point where an earlier run ended: the write of each award also adds the award's transactions
 * to the order, and each campaign awards an order once.
 *
 * @throws Error when the order or its user is not found, another run writes first, or a token for the order may still
 * be spent
 */
export async function processOrder({ entityId }: Pick<InternalEvent, 'entityId'>, deps: OrderDeps): Promise<void> {
  const order = await findPending(entityId, deps);
  if (!order) return;
  const { record, rejection } = await awardEvent(
    {
      ...awardRequestForOrder(order, await findKnown(order, deps)),
      loadEarner: (at) => loadEarner(order, at, deps),
      record: order,
      writesFor: (changed) => [orderChangeWrite(changed)],
    },
    deps,
  );
  await deps.orders.finalize(finalizeOrder(record, rejection, deps.now()));
}

/** Finds what is already known of the order's purchase from other reports of it. */
const findKnown = ({ merchantId, externalOrderId: externalTransactionId, createdAt }: Order, deps: OrderDeps) =>
  findKnownPurchase({ merchantId, externalTransactionId }, new Date(createdAt), deps);

/** Finds the order of a message. Returns undefined when the order is no longer pending. */
async function findPending(entityId: string, { orders }: Pick<OrderDeps, 'orders'>): Promise<Order | undefined> {
  const order = await orders.find(entityId);
  if (!order) throw new Error(`there is no order ${entityId}`);
  return order.state === 'PENDING' ? order : undefined;
}
