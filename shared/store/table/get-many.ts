import { awsMaximumItems } from '../../contracts/limits.ts';
import type { TableClient } from './table-client.ts';
import type { Item, Key } from './writes.ts';

/** The items of any number of keys, each key once, in one round of batches; in no order, without what is not there. */
export async function getMany(table: TableClient, keys: readonly Key[]): Promise<Item[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / awsMaximumItems.keysPerRead) }, (_, batch) =>
    keys.slice(batch * awsMaximumItems.keysPerRead, (batch + 1) * awsMaximumItems.keysPerRead),
  );
  return (await Promise.all(batches.map((batch) => table.getAll(batch)))).flat();
}
