import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryPromise } from '../../../shared/contracts/promises.ts';
import { atMost, type Bench, type PromiseRow } from '../bench.ts';
import { folder, percentile, type Row, save, table } from '../report.ts';
import { receiveCreated } from './arrivals.ts';
import { buy, makeBuyers, type RunningPlatform, runClients } from './buyers.ts';
import { isMeasurable, type Memory, measureTree, PeakMeter, totalOf } from './processes.ts';
import { measureRawWrites, samplePurchase } from './raw-writes.ts';

/*
 * Clients buy through `npm start` with all its processes: npm, DynamoDB Local, the loyalty program of the demonstration
 * and the scripts of the start. The clients run in the process of the bench, so their memory does not count.
 */

/** The size of a run. */
interface Size {
  readonly clients: number;
  readonly members: number;
  readonly seconds: number;
  /** The pause between the last request and the measurement of the memory at rest. Late webhooks arrive meanwhile. */
  readonly restSeconds: number;
}

const fullSize: Size = { clients: 32, members: 96, seconds: 60, restSeconds: 30 };
const quickSize: Size = { clients: 2, members: 2, seconds: 3, restSeconds: 1 };
const directory = join(folder, 'load');

/** `npm run bench load`: latency of endpoints 1 and 2 with many clients, and the memory of `npm start`. */
export const bench: Bench = {
  name: 'load',
  about: 'latency of endpoints 1 and 2 with 32 clients, beside DynamoDB Local alone; memory of npm start',
  async run({ quick, assembled }) {
    const size = quick ? quickSize : fullSize;
    await rm(directory, { recursive: true, force: true });
    const build = assembled === undefined ? [] : ['--assembly', join(assembled, 'cdk.out')];
    const npm = spawn('npm', ['start', '--silent', '--', '--state-dir', directory, ...build], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { items, ...measured } = await measure(npm, size).finally(() => stop(npm));
    const { purchases } = measured;
    const raw = await measureRawWrites({ items, calls: 2 * purchases.length, clients: size.clients });
    await print({ ...measured, raw }, size);
    return memoryPromises(measured.moments);
  },
};

async function stop(npm: ChildProcess): Promise<void> {
  if (npm.exitCode !== null) return;
  npm.kill('SIGTERM');
  await once(npm, 'exit');
}

async function measure(npm: ChildProcess, { clients, members, seconds, restSeconds }: Size) {
  const pid = npm.pid ?? 0;
  const startMeter = new PeakMeter(pid);
  const platform = await waitUntilReady(npm);
  const tokens = await makeBuyers(platform, members);
  // The first purchase starts the functions. The raw writes are copies of its items.
  await buy(platform, tokens[0] ?? '');
  const items = await samplePurchase(platform.aws);
  const arrivals = await receiveCreated(platform);
  const start = await startMeter.stop();

  const peakMeter = new PeakMeter(pid);
  const { purchases, errors } = await runClients(platform, { clients, seconds, tokens });
  const peak = await peakMeter.stop();
  const [delays] = await Promise.all([arrivals.delaysOf(purchases, restSeconds), sleep(restSeconds * 1_000)]);
  const rest = await measureTree(pid);
  await arrivals.close();
  return { items, purchases, errors, delays, moments: { start, peak, rest } };
}

async function waitUntilReady(npm: ChildProcess): Promise<RunningPlatform> {
  const file = join(directory, 'platform.json');
  while (!existsSync(file)) {
    if (npm.exitCode !== null) throw new Error(`npm start ended with status ${npm.exitCode}`);
    await sleep(100);
  }
  return JSON.parse(await readFile(file, 'utf8'));
}

type Moments = Readonly<Record<'start' | 'peak' | 'rest', Memory>>;

interface Measured extends Omit<Awaited<ReturnType<typeof measure>>, 'items'> {
  /** The milliseconds of the writes to DynamoDB Local alone. */
  readonly raw: readonly number[];
}

async function print({ purchases, errors, delays, moments, raw }: Measured, { clients, seconds }: Size): Promise<void> {
  const machine = { node: process.version, cores: availableParallelism(), clients, seconds };
  console.log(`node ${machine.node}, ${machine.cores} cores, ${clients} clients for ${seconds} seconds\n`);
  const latencies = [
    latencyRow(
      'endpoint 1',
      purchases.map(({ endpoint1Ms }) => endpoint1Ms),
    ),
    latencyRow(
      'endpoint 2',
      purchases.map(({ endpoint2Ms }) => endpoint2Ms),
    ),
    latencyRow('webhook after endpoint 2', delays),
    latencyRow('DynamoDB Local alone', raw),
  ];
  console.log(table(latencies));
  console.log(
    '\nDynamoDB Local alone: one transaction with as many items as endpoint 1 or 2 writes, by as many clients',
  );
  console.log(`${(purchases.length / seconds).toFixed(1)} purchases per second; ${errors.length} failed\n`);
  for (const message of new Set(errors.map((error) => error.message))) console.log(message);
  if (isMeasurable) {
    console.log(table([...kindsOf(moments).map((kind) => memoryRow(kind, moments)), totalRow(moments)]));
    console.log('\nMB (PSS): the most during the start; the most with all clients; at rest after the load');
  }
  const megabytes = mapMoments(moments, (memory) => Object.fromEntries(memory));
  await save('load', { machine, latencies, failed: errors.length, megabytes });
}

function latencyRow(what: string, durations: readonly number[]): Row {
  const sorted = durations.toSorted((one, other) => one - other);
  const ms = (share: number) => percentile(sorted, share).toFixed(1).padStart(8);
  return { what, count: durations.length, '  p50 ms': ms(0.5), '  p99 ms': ms(0.99) };
}

const kindsOf = (moments: Moments): string[] => [
  ...new Set(Object.values(moments).flatMap((memory) => [...memory.keys()])),
];

const memoryRow = (kind: string, moments: Moments): Row => ({
  process: kind,
  ...mapMoments(moments, (memory) => Math.round(memory.get(kind) ?? 0)),
});

const totalRow = (moments: Moments): Row => ({
  process: 'all',
  ...mapMoments(moments, (memory) => Math.round(totalOf(memory))),
});

const mapMoments = <Value>(moments: Moments, read: (memory: Memory) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(moments).map(([name, memory]) => [name, read(memory)]));

function memoryPromises(moments: Moments): PromiseRow[] {
  if (!isMeasurable) return [];
  const { peakMb, restMb } = memoryPromise;
  const most = Math.max(...Object.values(moments).map(totalOf));
  const inWords = (megabytes: number) => `${megabytes.toFixed(0)} MB`;
  return [
    atMost('memory of npm start at any time', { figure: most, promised: peakMb, inWords }),
    atMost('memory at rest', { figure: totalOf(moments.rest), promised: restMb, inWords }),
  ];
}
