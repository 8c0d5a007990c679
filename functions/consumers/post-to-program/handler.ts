import { once } from '../../../shared/domain/memoize.ts';
import { postToProgramStores, runProgramTask } from '../../../shared/operations/posting/post-to-program.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openProgramQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const ports = once(() => ({ queue: openProgramQueue(runtime().config), randomShare: Math.random }));

/** Sends the requests to partners' own programs: posts transactions, and reads balances to compare them. */
export const handler = consumer(declaration, postToProgramStores, (task, deps) =>
  runProgramTask(task, { ...deps, ...ports() }),
);
