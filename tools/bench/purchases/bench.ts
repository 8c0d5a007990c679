import { rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { purchasePromise } from '../../../shared/contracts/promises.ts';
import { assemble } from '../../build/assembly.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { conclude, median, type Row, save, table } from '../report.ts';
import { type Concurrency, type Rates, type RecordedRound, type Recording, Rounds, record } from './rounds.ts';
import { openShop } from './shop.ts';

/**
 * A purchase is endpoints 1 and 2 over HTTP and everything that they cause: events, the confirmation of the loyalty
 * program, the ledger, the totals. The clock runs from the first request until nothing is left to do.
 *
 * The ceiling is the rate at which DynamoDB Local alone does the same writes. While a platform makes purchases, every
 * write of its functions is recorded. One process sends these writes unchanged with the SDK, to a table with the same
 * indexes, stream and items. At the end both tables must be equal. The ceiling leaves out reads, HTTP, Lambda, the
 * stream, the bus and the queues.
 *
 * Each side has its own DynamoDB Local: in a shared one, a write to one table would also search the other's stream
 * records.
 */

const members = 100;
const purchases = 120;
const directory = 'bench/out/purchases';
/** Candidates for the number of parallel requests. Each side runs with the candidate that is fastest for this side. */
const candidates = [4, 8, 16];

const spread: RecordedRound = { isHot: false, purchases };
const hot: RecordedRound = { isHot: true, purchases };
/**
 * Rounds that are not measured: the platform and the emulator are slow until each of their workers has compiled its
 * code.
 */
const warmUps = [spread, spread, spread, spread];
/**
 * The trials: each candidate twice. The better trial of a candidate counts, because other load may slow a trial down.
 */
const trials = [...candidates, ...candidates].map((candidate) => ({ candidate, round: spread }));
const series = [
  { name: `${members} members`, isPromised: true, rounds: [spread, spread, spread, spread, spread] },
  { name: 'one hot member', isPromised: false, rounds: [hot, hot, hot] },
];

/** The medians of one series of rounds. */
interface Result extends Rates {
  readonly name: string;
  readonly isPromised: boolean;
  /**
   * The platform's rate as a share of the emulator's: the median of the shares of all rounds. Other load slows both
   * sides of a round, so it changes the share little.
   */
  readonly ratio: number;
  readonly rounds: readonly Rates[];
}

/**
 * `npm run bench purchases`: purchases per second through the local platform, compared with the emulator's own ceiling.
 */
export async function benchPurchases(): Promise<void> {
  const stoppers = new Stoppers();
  try {
    // The load of other programs, read before the bench adds its own. It slows the platform more than the ceiling,
    // because the platform uses more cores.
    const [others = 0] = loadavg();
    await rm(directory, { recursive: true, force: true });
    const assembly = await assemble(directory);
    const rounds = [...warmUps, ...trials.map(({ round }) => round), ...series.flatMap((each) => each.rounds)];
    const recording = await record({ assembly, directory, members, concurrency: 8, rounds });
    const both = await openBoth(assembly, recording, stoppers);
    await report(both, others);
  } finally {
    await stoppers.stop();
  }
}

async function openBoth(assembly: string, recording: Recording, stoppers: Stoppers): Promise<Rounds> {
  const [own, ceiling] = await Promise.all([startDynamoDb(), startDynamoDb()]);
  stoppers.add(() => Promise.all([own.stop(), ceiling.stop()]));
  const stateDirectory = join(directory, 'measured');
  const shop = await openShop({ assembly, stateDirectory, dynamodb: own, members });
  stoppers.add(() => shop.stop());
  const both = new Rounds(shop, recording, ceiling.endpoint);
  stoppers.add(() => both.stop());
  await both.prepare();
  return both;
}

async function report(both: Rounds, others: number): Promise<void> {
  for (const round of warmUps) await both.run(round, { platform: 8, ceiling: 8 });
  const concurrency = await bestConcurrency(both);
  const machine = { node: process.version, cores: availableParallelism(), others, purchases, concurrency };
  console.log(`node ${machine.node}, ${machine.cores} cores, load of others ${others.toFixed(1)}`);
  console.log(
    `rounds of ${purchases}; under way: ${concurrency.platform} to the platform, ${concurrency.ceiling} to the emulator\n`,
  );

  const results: Result[] = [];
  for (const { rounds, ...named } of series) {
    const measured: Rates[] = [];
    for (const round of rounds) measured.push(await both.run(round, concurrency));
    results.push({ ...named, ...resultOf(measured), rounds: measured });
  }
  await both.requireSameOutcome();

  console.log(table(results.map(rowOf)));
  console.log('\npurchases per second, medians: until all is done; until the last reply; the same writes alone');
  console.log(`promised: >= ${percent(purchasePromise.ceilingShare)} of the emulator's rate`);
  await save('purchases', { machine, results });
  conclude(results.flatMap(brokenPromises));
}

async function bestConcurrency(both: Rounds): Promise<Concurrency> {
  const tried: { readonly candidate: number; readonly rates: Rates }[] = [];
  for (const { candidate, round } of trials) {
    tried.push({ candidate, rates: await both.run(round, { platform: candidate, ceiling: candidate }) });
  }
  const best = (side: 'finished' | 'ceiling') =>
    tried.reduce((one, other) => (other.rates[side] > one.rates[side] ? other : one)).candidate;
  return { platform: best('finished'), ceiling: best('ceiling') };
}

function resultOf(rounds: readonly Rates[]): Rates & { readonly ratio: number } {
  return {
    finished: median(rounds.map(({ finished }) => finished)),
    answered: median(rounds.map(({ answered }) => answered)),
    ceiling: median(rounds.map(({ ceiling }) => ceiling)),
    ratio: median(rounds.map(({ finished, ceiling }) => finished / ceiling)),
  };
}

function rowOf(result: Result): Row {
  return {
    purchases: result.name,
    platform: result.finished.toFixed(1).padStart(8),
    replies: result.answered.toFixed(1).padStart(7),
    emulator: result.ceiling.toFixed(1).padStart(8),
    ratio: percent(result.ratio).padStart(5),
    pairs: result.rounds.map(({ finished, ceiling }) => percent(finished / ceiling)).join(' '),
    promise: result.isPromised ? (isKept(result) ? 'kept' : 'BROKEN') : '',
  };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const isKept = ({ ratio }: Result): boolean => ratio >= purchasePromise.ceilingShare;

function brokenPromises(result: Result): string[] {
  if (!result.isPromised || isKept(result)) return [];
  const promised = percent(purchasePromise.ceilingShare);
  return [`purchases: ${percent(result.ratio)} of the emulator's rate, promised ${promised}`];
}
