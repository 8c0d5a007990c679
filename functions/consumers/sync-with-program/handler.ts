import { once } from '../../../shared/domain/memoize.ts';
import { syncWithProgram, syncWithProgramStores } from '../../../shared/operations/sync-with-program.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openProgramQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const queue = once(() => openProgramQueue(runtime().config));

/** Brings a created transaction to the partner's loyalty program: completes it at once, or queues the work. */
export const handler = consumer(declaration, syncWithProgramStores, (event, deps) =>
  syncWithProgram(event, deps, queue),
);
