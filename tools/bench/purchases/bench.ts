import { rm } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { assemble } from '../../build/assembly.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { Stoppers } from '../../local/stoppers.ts';
import { purchasePromise } from '../promises.ts';
import { conclude, type Row, save, table } from '../report.ts';
import { median } from '../startup/median.ts';
import { type RecordedRound, type Recording, record } from './recording.ts';
import { type Concurrency, type Rates, Rounds } from './rounds.ts';
import { openStage } from './stage.ts';

/*
 * What is counted. A purchase is endpoint 1 and endpoint 2 over HTTP, and everything that they set in motion: its
 * events went from the stream to the bus and to whoever listens, the loyalty program confirmed, the transaction
 * is completed, the ledger written and the totals counted. The clock runs from the first request until nothing
 * is left to do. To count the replies alone would leave the work of the consumers out, which goes on beside them.
 *
 * The ceiling is what DynamoDB Local can do of it. Every call by which the functions changed the table is recorded
 * while a platform makes purchases, and sent again by one process with the SDK and nothing else: the same items,
 * expressions and conditions, to a table of the same indexes and stream that holds the same world, so that each
 * write does what it did then. At the end the two tables must be equal. Reads are the platform's own expense, as
 * are HTTP, Lambda, the stream's readers, the bus and the queues.
 *
 * Each side has a DynamoDB Local of its own, as warm and as full as the other's: in one for both, every write
 * to the second table with a stream searches through the records of the first.
 */

const members = 100;
const purchases = 120;
const directory = 'bench/out/purchases';
/** How many requests a side may have under way; each side gets what it was fastest with. */
const candidates = [4, 8, 16];

const spread: RecordedRound = { isHot: false, purchases };
const hot: RecordedRound = { isHot: true, purchases };
/** Both sides run slowly until their code is compiled: the workers have each to compile theirs. */
const warmUps = [spread, spread, spread, spread];
/** Two trials of each candidate, the better one counts: what slows a single trial may be somebody else. */
const trials = [...candidates, ...candidates].map((candidate) => ({ candidate, round: spread }));
const series = [
  { name: `${members} members`, isPromised: true, rounds: [spread, spread, spread, spread, spread] },
  { name: 'one hot member', isPromised: false, rounds: [hot, hot, hot] },
];

/** What one series came to: medians of its rounds. */
interface Result extends Rates {
  readonly name: string;
  readonly isPromised: boolean;
  /** Of the pairs, not of the medians: whoever else wants the machine slows both of a pair. */
  readonly ratio: number;
  readonly rounds: readonly Rates[];
}

/** `npm run bench purchases`: purchases per second through the local platform, beside the emulator's own ceiling. */
export async function benchPurchases(): Promise<void> {
  const stoppers = new Stoppers();
  try {
    // Before anything of ours runs: others' work slows the platform more, for it has more to do on more cores.
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
  const stage = await openStage({ assembly, stateDirectory, dynamodb: own, members });
  stoppers.add(() => stage.stop());
  const both = new Rounds(stage, recording, ceiling.endpoint);
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
  console.log(`promised: >= ${percent(purchasePromise.ceilingShare)} of the emulator's own`);
  await save('purchases', { machine, results });
  conclude(results.flatMap(brokenPromises));
}

async function bestConcurrency(both: Rounds): Promise<Concurrency> {
  const tried: { readonly candidate: number; readonly rates: Rates }[] = [];
  for (const { candidate, round } of trials) {
    tried.push({ candidate, rates: await both.run(round, { platform: candidate, ceiling: candidate }) });
  }
  const best = (side: 'settled' | 'ceiling') =>
    tried.reduce((one, other) => (other.rates[side] > one.rates[side] ? other : one)).candidate;
  return { platform: best('settled'), ceiling: best('ceiling') };
}

function resultOf(rounds: readonly Rates[]): Rates & { readonly ratio: number } {
  return {
    settled: median(rounds.map(({ settled }) => settled)),
    answered: median(rounds.map(({ answered }) => answered)),
    ceiling: median(rounds.map(({ ceiling }) => ceiling)),
    ratio: median(rounds.map(({ settled, ceiling }) => settled / ceiling)),
  };
}

function rowOf(result: Result): Row {
  return {
    purchases: result.name,
    platform: result.settled.toFixed(1).padStart(8),
    replies: result.answered.toFixed(1).padStart(7),
    emulator: result.ceiling.toFixed(1).padStart(8),
    ratio: percent(result.ratio).padStart(5),
    'of the pairs': result.rounds.map(({ settled, ceiling }) => percent(settled / ceiling)).join(' '),
    promise: result.isPromised ? (isKept(result) ? 'kept' : 'BROKEN') : '',
  };
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const isKept = ({ ratio }: Result): boolean => ratio >= purchasePromise.ceilingShare;

function brokenPromises(result: Result): string[] {
  if (!result.isPromised || isKept(result)) return [];
  const promised = percent(purchasePromise.ceilingShare);
  return [`purchases: ${percent(result.ratio)} of the emulator's own rate, promised ${promised}`];
}
