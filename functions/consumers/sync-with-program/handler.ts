import { once } from '../../../shared/domain/memoize.ts';
import { syncAllWithPrograms, syncWithProgramStores } from '../../../shared/operations/posting/sync-with-program.ts';
import { batchConsumer } from '../../../shared/runtime/consumer.ts';
import { openProgramQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const queue = once(() => openProgramQueue(runtime().config));

/**
 * Brings created transactions to the partners' loyalty programs. For hosted programs, completes them at once. For
 * partners' own programs, queues requests.
 */
export const handler = batchConsumer(declaration, syncWithProgramStores, (events, deps) =>
  syncAllWithPrograms(events, deps, queue),
);
