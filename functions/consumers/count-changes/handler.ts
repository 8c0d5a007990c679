import { countChanges, countChangesStores } from '../../../shared/operations/count-changes.ts';
import { measureChanges } from '../../../shared/operations/measure-changes.ts';
import { streamConsumer } from '../../../shared/runtime/consumer.ts';
import { measure } from '../../../shared/runtime/metrics.ts';

/**
 * Counts new ledger entries into totals, and purchases into the spend of their members, each once. Then measures the
 * business: a batch that failed is measured when it succeeds.
 */
export const handler = streamConsumer(countChangesStores, async (items, deps) => {
  await countChanges(items, deps);
  measure(measureChanges(items));
});
