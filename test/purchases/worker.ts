import { parentPort, workerData } from 'node:worker_threads';
import { plant } from './planted.ts';
import type { Task } from './threads.ts';

/** One thread of `main.ts`: plays the histories that begin with a statement which no other thread has taken. */

const { taken, bug, ...plan } = workerData as Task;
if (bug !== undefined) plant(bug);
// Imported only now, so that the planted bug is in all files that are imported here.
const { playAll } = await import('./histories.ts');
const { makeScene } = await import('./scene.ts');
const { statements } = await import('./statements.ts');

const names = Object.keys(statements);
const takes = (name: string) => Atomics.compareExchange(taken, names.indexOf(name), 0, 1) === 0;
const enters = ([first = '', ...others]: readonly string[]) => others.length > 0 || takes(first);

parentPort?.postMessage(await playAll(await makeScene(), { ...plan, enters }));
