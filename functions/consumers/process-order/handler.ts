import { InternalEvent } from '../../../shared/contracts/events.ts';
import { awardRequestForOrder } from '../../../shared/domain/order/occurrence-of-order.ts';
import { finalizeOrder } from '../../../shared/domain/order/order.ts';
import { awardAll, awardingStores, loadEarner } from '../../../shared/operations/award.ts';
import { busMessage, consume } from '../../../shared/runtime/consume.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { Orders, orderChangeWrite } from '../../../shared/store/order/orders.ts';

const rewarding = once(() => withStores(runtime(), { ...awardingStores, orders: Orders }));
type Rewarding = ReturnType<typeof rewarding>;

/** Rewards an external order: what it earns is pending then, as any other transaction. */
export const handler = consume({
  message: busMessage(InternalEvent),
  deps: rewarding,
  handle: ({ detail }, deps) => processOrder(detail, deps),
});

/**
 * Safe to repeat, from wherever an earlier run ended: the order remembers each award in the award's own
 * write, and each campaign rewards an order once.
 *
 * @throws when the order or its user is not known, another run is faster, or a token for the order may
 * still be spent; the message comes again
 */
export async function processOrder(event: InternalEvent, deps: Rewarding): Promise<void> {
  const order = await deps.orders.find(event.entityId);
  if (!order) throw new Error(`there is no order ${event.entityId}`);
  if (order.state !== 'PENDING') return;

  const { thing, rejection } = await awardAll(
    {
      ...awardRequestForOrder(order),
      earner: (at) => loadEarner(order, at, deps),
      thing: order,
      changesOf: (changed) => [orderChangeWrite(changed)],
    },
    deps,
  );
  await deps.orders.change(finalizeOrder(thing, rejection, deps.now()));
}
