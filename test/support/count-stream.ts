import type { Partition } from '../../shared/contracts/table.ts';
import { countChanges, countChangesStores } from '../../shared/operations/stream/count-changes.ts';
import { withStores } from '../../shared/runtime/runtime.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { World } from './world.ts';

const countedKinds: readonly Partition[] = ['ledger', 'claim', 'order', 'payment'];

/** Counts all ledger entries and purchases of a table, as the consumer of the stream does. */
export async function countStream({ table, platform }: Pick<World, 'table' | 'platform'>): Promise<void> {
  const items: Item[] = [];
  for await (const item of table.mirror.read(countedKinds)) {
    if (/^(CLAIM|ORDER#|PAYMENT#)|#[A-Z_]+$/.test(item.sk) && !('refersTo' in item)) items.push(item);
  }
  await countChanges(items, withStores(platform, countChangesStores));
}
