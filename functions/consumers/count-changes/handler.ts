import { countChanges, countChangesStores } from '../../../shared/operations/count-changes.ts';
import { streamConsumer } from '../../../shared/runtime/consumer.ts';

/** Counts new ledger entries into totals, and purchases into the spend of their members, each once. */
export const handler = streamConsumer(countChangesStores, countChanges);
