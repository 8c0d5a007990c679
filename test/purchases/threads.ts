import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Plan, Played } from './histories.ts';

/** What a thread has to play. */
export interface Task extends Pick<Plan, 'sets' | 'most' | 'pace' | 'known'> {
  /** A place for each statement: 1 when a thread has taken the histories that begin with it. */
  readonly taken: Int32Array<SharedArrayBuffer>;
  /** The bug to plant. */
  readonly bug?: string | undefined;
}

/** Plays all histories of a plan, in as many threads as the machine has processors. */
export async function playInThreads(task: Omit<Task, 'taken'>): Promise<Played> {
  const taken = new Int32Array(new SharedArrayBuffer(4 * mostStatements));
  const threads = Array.from({ length: availableParallelism() }, async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { ...task, taken } });
    const [played] = await once(worker, 'message');
    return played as Played;
  });
  return (await Promise.all(threads)).reduce(added);
}

const mostStatements = 100;

function added(one: Played, other: Played): Played {
  const differences = new Map(one.differences);
  for (const [name, difference] of other.differences) {
    const known = differences.get(name);
    differences.set(name, known ? { ...known, count: known.count + difference.count } : difference);
  }
  return {
    histories: one.histories + other.histories,
    refused: one.refused + other.refused,
    sets: new Set([...one.sets, ...other.sets]),
    differences,
  };
}
