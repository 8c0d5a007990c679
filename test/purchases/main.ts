import { parseArgs } from 'node:util';
import { type Difference, type Pace, type Played, paces } from './histories.ts';
import { plantedBugs } from './planted.ts';
import { sets } from './sets.ts';
import { playInThreads } from './threads.ts';

/**
 * `npm run histories`: plays every sequence of the statements about a purchase, each also with one statement twice, and
 * prints the histories that end otherwise than the oracle expects.
 *
 * - `npm run histories -- --most 5`: at most five different statements; more than a hundred thousand histories.
 * - `npm run histories -- --pace 'every event twice'`: see `paces` in histories.ts.
 * - `npm run histories -- --planted`: removes the guards of purchases one after the other, and shows that the histories
 *   find each missing guard: more of them end otherwise than expected.
 */

const { values: options } = parseArgs({
  options: {
    most: { type: 'string', default: '6' },
    pace: { type: 'string', default: 'step by step' },
    planted: { type: 'boolean', default: false },
    /** Prints this many differences. */
    show: { type: 'string', default: '20' },
  },
});

const print = (line: string) => void process.stdout.write(`${line}\n`);
const pace = options.pace as Pace;
if (!Object.hasOwn(paces, pace)) throw new Error(`--pace is one of: ${Object.keys(paces).join('; ')}`);

/** Plays all histories. Returns 1 if one of them ended otherwise than expected. */
async function playHistories(): Promise<number> {
  const begunAt = performance.now();
  const played = await playInThreads({ sets, most: Number(options.most), pace });
  printDifferences([...played.differences.values()]);
  printCounts(played, (performance.now() - begunAt) / 1_000);
  return played.differences.size > 0 ? 1 : 0;
}

const shortestFirst = (differences: readonly Difference[]) =>
  differences.toSorted((one, other) => one.history.length - other.history.length);

function printDifferences(differences: readonly Difference[]): void {
  for (const { set, expected, found, history, count } of shortestFirst(differences).slice(0, Number(options.show))) {
    print(`${set}\n  expected ${expected}\n  found    ${found}\n  in ${count} histories, such as ${history}`);
  }
}

function printCounts({ histories, refused, sets: played, differences }: Played, seconds: number): void {
  const differing = [...differences.values()];
  const rows: readonly (readonly [name: string, count: number])[] = [
    ['histories', histories],
    ['sets of statements', played.size],
    ['refused statements', refused],
    ['seconds', Math.round(seconds)],
    ['seconds of the processors', Math.round(process.cpuUsage().user / 1_000_000)],
    ['sets that end otherwise than expected', new Set(differing.map(({ set }) => set)).size],
    ['histories that end otherwise than expected', differing.reduce((sum, { count }) => sum + count, 0)],
  ];
  for (const [name, count] of rows) print(`${name.padEnd(42)} ${String(count).padStart(8)}`);
}

/** The most different statements of the histories that have to find a planted bug. */
const mostPerBug = 4;

/** Removes each guard. Returns 1 unless the histories found every removed guard. */
async function findPlanted(): Promise<number> {
  const task = { sets, most: mostPerBug, pace };
  const known = new Set((await playInThreads(task)).differences.keys());
  let missed = 0;
  for (const { name: bug } of plantedBugs) {
    const [first] = shortestFirst([...(await playInThreads({ ...task, bug, known })).differences.values()]);
    if (!first) missed += 1;
    print(`${bug}: ${first ? `found by ${first.history}` : 'NOT FOUND'}`);
  }
  print(`${plantedBugs.length - missed} of ${plantedBugs.length} planted bugs were found`);
  return missed > 0 ? 1 : 0;
}

process.exitCode = await (options.planted ? findPlanted() : playHistories());
