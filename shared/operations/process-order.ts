import type { InternalEvent } from '../contracts/events.ts';
import { awardRequestForOrder, finalizeOrder } from '../domain/order/order.ts';
import { Orders, orderChangeWrite } from '../store/order/orders.ts';
import { awardEvent, awardEventStores, loadEarner } from './award-event.ts';
import type { Deps } from './operation.ts';

export const processOrderStores = { ...awardEventStores, orders: Orders };

/**
 * Awards an external order. The new transactions are pending until the program confirms them.
 *
 * Safe to repeat from the point where an earlier run ended: the write of each award also adds its
 * transactions to the order, and each campaign awards an order once.
 *
 * @throws Error when the order or its user is not found, another run is faster, or a token for the order may
 * still be spent
 */
export async function processOrder({ entityId }: InternalEvent, deps: Deps<typeof processOrderStores>): Promise<void> {
  const order = await deps.orders.find(entityId);
  if (!order) throw new Error(`there is no order ${entityId}`);
  if (order.state !== 'PENDING') return;

  const { record, rejection } = await awardEvent(
    {
      ...awardRequestForOrder(order),
      loadEarner: (at) => loadEarner(order, at, deps),
      record: order,
      writesFor: (changed) => [orderChangeWrite(changed)],
    },
    deps,
  );
  await deps.orders.change(finalizeOrder(record, rejection, deps.now()));
}
