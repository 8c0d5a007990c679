import type { InternalEvent, PlatformEvent, RelayedEvent } from '../../shared/contracts/events.ts';
import { syncWithProgram, syncWithProgramStores } from '../../shared/operations/posting/sync-with-program.ts';
import { settlePurchases } from '../../shared/operations/purchase/settle-purchases.ts';
import { settlePurchaseStores } from '../../shared/operations/purchase/settle-stores.ts';
import { countChanges, countChangesStores } from '../../shared/operations/stream/count-changes.ts';
import { type Runtime, withStores } from '../../shared/runtime/runtime.ts';
import type { Item } from '../../shared/store/table/table-client.ts';

/** The consumers that move the points of purchases. The exhaustive histories reach these operations only here. */
export interface Consumers {
  /** Delivers an event of the bus to its consumer. Webhooks, and consumers that move no points, are left out. */
  readonly deliver: (event: RelayedEvent) => Promise<unknown> | undefined;
  /** Counts changed items of the stream. */
  readonly count: (items: readonly Item[]) => Promise<void>;
}

export function openConsumers(runtime: Runtime): Consumers {
  const [purchases, program, totals] = [
    withStores(runtime, settlePurchaseStores),
    withStores(runtime, syncWithProgramStores),
    withStores(runtime, countChangesStores),
  ];
  const settle = async (event: RelayedEvent) => {
    const [error] = await settlePurchases([event as InternalEvent], purchases);
    if (error !== undefined) throw error;
  };
  const byName: Readonly<Record<string, (event: RelayedEvent) => Promise<unknown>>> = {
    order_received: settle,
    payment_changed: settle,
    refund_received: settle,
    purchase_changed: settle,
    transaction_created: (event) => syncWithProgram(event as PlatformEvent, program),
    settlement_written: (event) => syncWithProgram(event as InternalEvent, program),
  };
  return {
    deliver: (event) => byName[event.name]?.(event),
    count: (items) => countChanges(items, totals),
  };
}
