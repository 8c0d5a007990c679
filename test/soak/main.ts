import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { startDynamoDb } from '../../tools/local/dynamodb/dynamodb.ts';
import { plant, plantedBugs } from './planted.ts';
import type { Report } from './soak.ts';

/**
 * `npm run soak`: plays random histories until the time is over, and prints the violations.
 *
 * - `npm run soak -- --minutes 30 --from-seed 1000`: new seeds for half an hour.
 * - `SEED=17 npm run soak -- --trace`: one history, with every step.
 * - `npm run soak -- --planted`: removes the guards of the platform, each in a process of its own, and shows that the
 *   histories find each missing guard.
 * - `npm run soak -- --dynamodb`: uses DynamoDB Local instead of a table in memory. It takes ten times as long.
 */

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    histories: { type: 'string' },
    'from-seed': { type: 'string', default: '1' },
    /** The requests of each history; by default, as many as in the tests. */
    requests: { type: 'string' },
    trace: { type: 'boolean', default: false },
    dynamodb: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    /** With `--planted`: plants only the bugs whose names contain this text. */
    only: { type: 'string', default: '' },
    /** Plants this bug, and ends with the first history that finds it. */
    bug: { type: 'string' },
  },
});

const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Plays histories. Returns 1 if one of them had a violation. */
async function soak(): Promise<number> {
  if (options.bug !== undefined) plant(options.bug);
  // Imported only now, so that the planted bug is in all files that are imported here.
  const { Soak } = await import('./soak.ts');
  const { LocalTable, QuickTable } = await import('./tables.ts');
  const dynamoDb = options.dynamodb ? await startDynamoDb() : undefined;
  const world = new Soak(dynamoDb ? new LocalTable(dynamoDb.endpoint) : new QuickTable());
  const reports: Report[] = [];
  const requests = options.requests === undefined ? undefined : Number(options.requests);
  const only = process.env.SEED;
  const first = Number(only ?? options['from-seed']);
  const endsAt = performance.now() + Number(options.minutes) * 60_000;
  const isEnough = () => {
    if (only !== undefined) return reports.length === 1;
    if (options.bug !== undefined && reports.at(-1)?.violations.length) return true;
    if (options.histories !== undefined) return reports.length === Number(options.histories);
    return performance.now() >= endsAt;
  };
  while (!isEnough()) {
    const report = await world.run(first + reports.length, requests);
    // The steps of a thousand histories take gigabytes.
    reports.push({ ...report, trace: [] });
    if (options.trace) for (const line of report.trace) print(line);
    printReport(report);
  }
  await world.stop();
  await dynamoDb?.stop();
  printTable(reports);
  return reports.some(({ violations }) => violations.length > 0) ? 1 : 0;
}

function printReport({ seed, violations, operations, calls, deaths }: Report): void {
  print(
    `seed ${seed}: ${operations} requests, ${calls} calls, ${deaths} dead workers, ${violations.length} violations`,
  );
  for (const what of violations) print(`  seed ${seed} violates: ${what}`);
  if (violations.length > 0) print(`  replay it with: SEED=${seed} npm run soak -- --trace`);
}

/** Prints how much all histories together have covered. */
function printTable(reports: readonly Report[]): void {
  const seeds = `seeds ${reports.at(0)?.seed ?? 0} to ${reports.at(-1)?.seed ?? 0}`;
  const sum = (amount: (report: Report) => number) => reports.reduce((total, report) => total + amount(report), 0);
  const rows: (readonly [name: string, count: number])[] = [
    [`histories (${seeds})`, reports.length],
    ['requests and payment events', sum(({ operations }) => operations)],
    ['deliveries', sum(({ deliveries }) => deliveries)],
    ['calls of DynamoDB, bus, queues and programs', sum(({ calls }) => calls)],
    ['dead workers', sum(({ deaths }) => deaths)],
    ...namedSums(reports.map(({ faults }) => faults)).map(([kind, count]) => [`fault: ${kind}`, count] as const),
    ...namedSums(reports.map(({ reached }) => reached)).map(([kind, count]) => [`at the end: ${kind}`, count] as const),
    ['violations', sum(({ violations }) => violations.length)],
  ];
  const failed = reports.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, count] of rows) print(`${name.padEnd(width)} ${String(count).padStart(9)}`);
  if (failed.length > 0) print(`seeds with violations: ${failed.join(', ')}`);
}

/** A planted bug must be found within this many histories. */
const historiesPerBug = '40';

/** Removes each guard in a process of its own. Returns 1 unless the histories found every removed guard. */
async function findPlanted(): Promise<number> {
  const wanted = plantedBugs.filter(({ name }) => name.includes(options.only));
  const width = Math.max(...wanted.map(({ name }) => name.length));
  const missed: string[] = [];
  print(`${'guard that is removed'.padEnd(width)}  seed  violation`);
  for (const { name } of wanted) {
    const found = await findBug(name);
    if (!found) missed.push(name);
    print(`${name.padEnd(width)}  ${(found?.seed ?? '-').padStart(4)}  ${found?.violation ?? 'NOT FOUND'}`);
  }
  print(`${wanted.length - missed.length} of ${wanted.length} planted bugs were found`);
  return missed.length > 0 ? 1 : 0;
}

/**
 * Starts a process, plants a bug in it, and plays histories. Returns the first violation, or undefined if there is
 * none.
 *
 * @throws Error when the histories ended early
 */
async function findBug(name: string): Promise<{ readonly seed: string; readonly violation: string } | undefined> {
  const histories = options.histories ?? historiesPerBug;
  const parameters = ['--bug', name, '--histories', histories, '--from-seed', options['from-seed']];
  const environment = { ...process.env };
  delete environment.SEED;
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [, seed, violation] = /^ {2}seed (\d+) violates: (.*)$/m.exec(output) ?? [];
  if (seed !== undefined && violation !== undefined) return { seed, violation };
  if (!output.includes('histories (')) throw new Error(`the histories with "${name}" broke off:\n${errors}`);
  return undefined;
}

/** Adds up counts with the same name, and sorts the sums by name. */
function namedSums(counts: readonly ReadonlyMap<string, number>[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => [...one])) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
}

process.exitCode = await (options.planted ? findPlanted() : soak());
