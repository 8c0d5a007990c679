import { once } from '../../../shared/domain/memoize.ts';
import { retryPostings, retryPostingsStores } from '../../../shared/operations/posting/retry-postings.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { openProgramQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';

const queue = once(() => openProgramQueue(runtime().config));

/** Every minute: queues the transactions that are due to be posted again. */
export const handler = scheduleConsumer(retryPostingsStores, (deps) => retryPostings({ ...deps, queue: queue() }));
