import { countChanges, countChangesStores } from '../../../shared/operations/stream/count-changes.ts';
import { measureChanges } from '../../../shared/operations/stream/measure-changes.ts';
import { streamConsumer } from '../../../shared/runtime/consumer.ts';
import { measure } from '../../../shared/runtime/metrics.ts';

/**
 * Adds new ledger entries to totals, and purchases to the spend of their members, each once. Writes the business
 * metrics of a batch only after everything in the batch is counted.
 */
export const handler = streamConsumer(countChangesStores, async (items, deps) => {
  await countChanges(items, deps);
  measure(measureChanges(items));
});
