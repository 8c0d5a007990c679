import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { memoryPromise } from '../../../shared/contracts/promises.ts';
import type { LocalPlatform } from '../../demo/platform.ts';
import { conclude, median, type Row, save, table } from '../report.ts';
import { type Memory, measureTree, PeakMeter, totalOf } from './processes.ts';
import { Client, receiveWebhooks } from './visits.ts';

/*
 * The memory of `npm start`, with npm, DynamoDB Local, the loyalty program of the demonstration and the scripts of the
 * start. The clients run in the process of the bench, so they do not count.
 */

const clients = 32;
/** `settle`: after the start, until the platform is at rest. `rest`: after the load. */
const periodMs = { settle: 5_000, load: 60_000, rest: 30_000 };
const purchaseCount = { warmUp: 20, measured: 60 };
const directory = 'bench/out/memory';

/** `npm run bench memory`: the memory of `npm start` at rest and with parallel clients. */
export async function benchMemory(): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const npm = spawn('npm', ['start', '--silent', '--', '--state-dir', directory], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await report(npm);
  } finally {
    npm.kill('SIGTERM');
    await once(npm, 'exit');
  }
}

async function report(npm: ChildProcess): Promise<void> {
  const pid = npm.pid ?? 0;
  const startMeter = new PeakMeter(pid);
  const platform = await waitUntilReady(npm);
  const start = await startMeter.stop();
  await sleep(periodMs.settle);
  const idle = await measureTree(pid);

  const latency = await measureLatency(platform);
  const closeReceiver = await receiveWebhooks(platform);
  const peakMeter = new PeakMeter(pid);
  const throughput = await runClients(platform);
  const peak = await peakMeter.stop();
  await sleep(periodMs.rest);
  const rest = await measureTree(pid);
  await closeReceiver();

  const moments = { start, idle, peak, rest };
  const machine = { node: process.version, cores: availableParallelism(), clients, seconds: periodMs.load / 1_000 };
  console.log(`node ${machine.node}, ${machine.cores} cores, ${clients} clients for ${machine.seconds} seconds\n`);
  console.log(table([...kindsOf(moments).map((kind) => rowOf(kind, moments)), totalRow(moments)]));
  console.log('\nMB (PSS): the most during the start; at rest; the most with all clients; 30 seconds later');
  const { requestsPerSecond, failedVisits } = throughput;
  console.log(`${requestsPerSecond.toFixed(0)} requests per second; ${failedVisits} visits ended with an error`);
  const { endpoint1Ms, endpoint2Ms } = latency;
  console.log(
    `one client alone: endpoint 1 in ${endpoint1Ms.toFixed(1)} ms, endpoint 2 in ${endpoint2Ms.toFixed(1)} ms`,
  );
  console.log(`promised: at most ${memoryPromise.peakMb} MB at any time, ${memoryPromise.restMb} MB at rest`);
  const megabytes = Object.fromEntries(
    Object.entries(moments).map(([name, memory]) => [name, Object.fromEntries(memory)]),
  );
  await save('memory', { machine, megabytes, throughput, latency });
  conclude(brokenPromises(moments));
}

async function waitUntilReady(npm: ChildProcess): Promise<LocalPlatform> {
  const file = join(directory, 'platform.json');
  while (!existsSync(file)) {
    if (npm.exitCode !== null) throw new Error(`npm start ended with status ${npm.exitCode}`);
    await sleep(100);
  }
  return JSON.parse(await readFile(file, 'utf8'));
}

interface Latency {
  readonly endpoint1Ms: number;
  readonly endpoint2Ms: number;
}

/** The median times of endpoints 1 and 2 for one client, when the functions are warm. */
async function measureLatency(platform: LocalPlatform): Promise<Latency> {
  const client = new Client(platform);
  const purchases = [];
  for (let nth = 0; nth < purchaseCount.warmUp + purchaseCount.measured; nth += 1) {
    const purchase = await client.buy('earn', 42.5);
    await client.waitForCompletion(purchase);
    purchases.push(purchase);
  }
  const measured = purchases.slice(purchaseCount.warmUp);
  return {
    endpoint1Ms: median(measured.map(({ endpoint1Ms }) => endpoint1Ms)),
    endpoint2Ms: median(measured.map(({ endpoint2Ms }) => endpoint2Ms)),
  };
}

interface Throughput {
  readonly requestsPerSecond: number;
  /** Visits that ended with an error, because the machine was too busy to answer in time. */
  readonly failedVisits: number;
}

/** Lets every client repeat its visits during the period `load`. */
async function runClients(platform: LocalPlatform): Promise<Throughput> {
  const startedAt = performance.now();
  const crowd = Array.from({ length: clients }, () => new Client(platform));
  let failedVisits = 0;
  const play = async (client: Client): Promise<void> => {
    while (performance.now() < startedAt + periodMs.load) {
      await client.visit().catch(() => {
        failedVisits += 1;
      });
    }
  };
  await Promise.all(crowd.map(play));
  const requests = crowd.reduce((sum, { requestCount }) => sum + requestCount, 0);
  return { requestsPerSecond: (requests * 1_000) / (performance.now() - startedAt), failedVisits };
}

type Moments = Readonly<Record<'start' | 'idle' | 'peak' | 'rest', Memory>>;

const kindsOf = (moments: Moments): string[] => [
  ...new Set(Object.values(moments).flatMap((memory) => [...memory.keys()])),
];

const rowOf = (kind: string, moments: Moments): Row => ({
  process: kind,
  ...mapMoments(moments, (memory) => memory.get(kind) ?? 0),
});

const totalRow = (moments: Moments): Row => ({ process: 'all', ...mapMoments(moments, totalOf) });

const mapMoments = (moments: Moments, read: (memory: Memory) => number): Row =>
  Object.fromEntries(Object.entries(moments).map(([name, memory]) => [name, Math.round(read(memory))]));

function brokenPromises({ start, idle, peak, rest }: Moments): string[] {
  const most = Math.max(...[start, idle, peak, rest].map(totalOf));
  const after = totalOf(rest);
  return [
    ...(most <= memoryPromise.peakMb ? [] : [`memory: ${most.toFixed(0)} MB, promised ${memoryPromise.peakMb}`]),
    ...(after <= memoryPromise.restMb
      ? []
      : [`memory after 30 seconds of rest: ${after.toFixed(0)} MB, promised ${memoryPromise.restMb}`]),
  ];
}
