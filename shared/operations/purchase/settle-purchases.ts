import type { InternalEvent } from '../../contracts/events.ts';
import type { KnownPurchase } from '../../domain/award/decide-awards.ts';
import { awardRequestForOrder, finalizeOrder, type Order } from '../../domain/order/order.ts';
import { newPurchase } from '../../domain/purchase/purchase.ts';
import { orderFinalWrite } from '../../store/order/orders.ts';
import { concerning } from '../../store/table/table-client.ts';
import { findKnownPurchase, loadEarner, TokenAwaitedError } from '../award/award-event.ts';
import { awardBatch } from '../award/award-together.ts';
import { settlePurchase } from './settle-purchase.ts';
import type { SettleDeps } from './settle-stores.ts';

/**
 * Settles the purchases of a batch of events, each once. New orders of one member, of which nothing else is known, are
 * awarded together: separate writes would contend for the counters of the member's limits.
 *
 * @returns for each event, the error of its purchase, or undefined when the purchase is settled
 */
export async function settlePurchases(events: readonly InternalEvent[], deps: SettleDeps): Promise<unknown[]> {
  const names = events.map(nameOf);
  const distinct = [...new Map(events.map((event) => [nameOf(event), event])).values()];
  const errors = new Map<string, unknown>();
  const attempt = (event: InternalEvent, work: () => Promise<unknown>) =>
    concerning(event.entityId, work).catch((error: unknown) => void errors.set(nameOf(event), error));

  const fresh = new Map<string, FreshOrder>();
  const others: InternalEvent[] = [];
  await Promise.all(
    distinct.map((event) =>
      attempt(event, async () => {
        const order = event.name === 'order_received' ? await findFresh(event.entityId, deps) : undefined;
        if (order) fresh.set(event.entityId, order);
        else others.push(event);
      }),
    ),
  );
  const orders = [...fresh.keys()];
  // New orders do not wait for a purchase that many reports change at once.
  const [awarded] = await Promise.all([
    awardFresh(orders, fresh, deps),
    ...others.map((event) => attempt(event, () => settlePurchase(event, deps))),
  ]);
  for (const [position, error] of awarded.entries()) {
    if (error !== undefined) errors.set(nameOf({ name: 'order_received', entityId: orders[position] ?? '' }), error);
  }
  return names.map((name) => errors.get(name));
}

const nameOf = ({ name, entityId }: Pick<InternalEvent, 'name' | 'entityId'>) => `${name} ${entityId}`;

/** A new order of which nothing else is known, and the program in which a token of it earned. */
interface FreshOrder {
  readonly order: Order;
  readonly known: KnownPurchase;
}

/** Finds a pending order without refunds, whose purchase has no head, and for which no token has to be awaited. */
async function findFresh(uuid: string, deps: SettleDeps): Promise<FreshOrder | undefined> {
  const order = await deps.orders.find(uuid);
  if (order?.state !== 'PENDING' || order.refundedCents > 0 || order.transactionIds.length > 0) return undefined;
  const key = { merchantId: order.merchantId, externalTransactionId: order.externalOrderId };
  if (await deps.spend.find(key)) return undefined;
  const times = { at: new Date(order.createdAt), awaitsSince: deps.now() };
  try {
    return { order, known: await findKnownPurchase(newPurchase(key), times, deps) };
  } catch (error) {
    if (error instanceof TokenAwaitedError) return undefined;
    throw error;
  }
}

/** Awards new orders. The stream counts their spend, and settles the purchase if another report came meanwhile. */
function awardFresh(
  entityIds: readonly string[],
  fresh: ReadonlyMap<string, FreshOrder>,
  deps: SettleDeps,
): Promise<unknown[]> {
  return awardBatch<Order>(
    entityIds,
    {
      find: async (entityId) => fresh.get(entityId)?.order,
      keyOf: ({ userId, merchantId }) => `${userId} ${merchantId}`,
      requestOf: (order) => awardRequestForOrder(order, fresh.get(order.uuid)?.known),
      loadEarner: (order, at) => loadEarner(order, at, deps),
      endWrites: (order, rejection) => [orderFinalWrite(finalizeOrder(order, rejection, deps.now()), deps.nextUuid())],
      awardAlone: (entityId) => settlePurchase({ name: 'order_received', entityId }, deps),
    },
    deps,
  );
}
