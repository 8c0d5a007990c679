import { type BusEvent, InternalEvent, PlatformEvent } from '../../shared/contracts/events.ts';
import { syncWithProgram } from '../../shared/operations/posting/sync-with-program.ts';
import { settlePurchase } from '../../shared/operations/purchase/settle-purchase.ts';
import { settlePurchases } from '../../shared/operations/purchase/settle-purchases.ts';
import type { SettleDeps } from '../../shared/operations/purchase/settle-stores.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { outboxEvents } from './outbox.ts';
import type { World } from './world.ts';

/** Settles a purchase as the consumer does when an event announces one of its reports. */

/** The entity of an announcement. */
export type About = Pick<InternalEvent, 'entityId'>;

/** Settles the purchase of an announced order. */
export const settleOrder = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'order_received', entityId }, deps);

/** Settles the purchases of a batch of events. Returns the error of each event. */
export const settleBatch = (events: readonly InternalEvent[], deps: SettleDeps): Promise<unknown[]> =>
  settlePurchases(events, deps);

/** Settles the purchase of an announced payment. */
export const settlePayment = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'payment_changed', entityId }, deps);

/** Settles the purchase of an announced refund: of an order, or of a transaction. */
export const settleRefund = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'refund_received', entityId }, deps);

const handled = new WeakMap<Platform, Set<string>>();

/**
 * Lets a world come to rest, as the platform does: handles the announced events once each, until nothing new is
 * announced. The program answers for created transactions, and purchases are settled.
 */
export async function comeToRest(world: World, names: readonly BusEvent['name'][]): Promise<void> {
  const done = handled.get(world.platform) ?? new Set<string>();
  handled.set(world.platform, done);
  const isDue = ({ id, name }: BusEvent) => names.includes(name) && !done.has(id);
  for (;;) {
    const due = (await outboxEvents(world)).filter(isDue);
    if (due.length === 0) return;
    for (const event of due) {
      if (event.name === 'transaction_created') await syncWithProgram(PlatformEvent.parse(event), world.platform);
      else await settlePurchase(InternalEvent.parse(event), world.platform);
      done.add(event.id);
    }
  }
}
