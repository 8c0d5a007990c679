import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, PromiseRow, RunOptions } from './bench.ts';
import { folder, type Row, table } from './report.ts';

/**
 * `npm run bench <name>` prints the tables of one bench, writes bench/out/<name>.json, and fails on a broken promise.
 * `npm run bench` does so for all benches, and prints one table of promises. `--quick` runs are too short to be judged:
 * they fail only if a bench crashes.
 */
const benches: Readonly<Record<string, () => Promise<{ readonly bench: Bench }>>> = {
  cost: () => import('./cost/bench.ts'),
  dashboard: () => import('./dashboard/bench.ts'),
  engine: () => import('./engine/bench.ts'),
  load: () => import('./load/bench.ts'),
  scale: () => import('./scale/bench.ts'),
  startup: () => import('./startup.ts'),
  webhooks: () => import('./webhooks/bench.ts'),
};

/** The benches that start the platform. */
const startPlatforms = ['cost', 'load'];

/** A row of the printed table. */
interface NamedRow extends PromiseRow {
  readonly bench: string;
}

/** Runs one bench. */
async function runOne(name: string, options: RunOptions): Promise<readonly NamedRow[]> {
  const load = benches[name];
  if (load === undefined) throw new RangeError(await usage(name));
  const { bench } = await load();
  const rows = await bench.run(options);
  return rows.map((row) => ({ bench: name, ...row }));
}

async function usage(unknown: string): Promise<string> {
  const known = await Promise.all(Object.values(benches).map((load) => load()));
  const lines = known.map(({ bench: { name, about } }) => `  ${name.padEnd(8)} ${about}`);
  return `there is no bench ${unknown}: npm run bench <name> [-- --quick], where name is one of\n${lines.join('\n')}`;
}

/** Runs all benches one after the other, each in its own process. */
async function runAll(): Promise<readonly NamedRow[]> {
  const rows: NamedRow[] = [];
  for (const name of Object.keys(benches)) rows.push(...(await runApart(name, [])));
  return rows;
}

/** Runs all benches at the same time, because their figures are not judged. The platform is built once. */
async function runAllQuickly(): Promise<readonly NamedRow[]> {
  const directory = options.assembled ?? join(folder, 'assembled');
  const assembling =
    options.assembled ??
    import('../build/assembly.ts').then(({ assemble }) => assemble(directory, { dashboard: false }));
  const run = async (name: string) => {
    if (startPlatforms.includes(name)) await assembling;
    return runApart(name, ['--quick', `--assembled=${directory}`]);
  };
  return (await Promise.all(Object.keys(benches).map(run))).flat();
}

/** Runs a bench in its own process. Its tables are written to <name>.txt in {@link folder}. */
async function runApart(name: string, args: readonly string[]): Promise<readonly NamedRow[]> {
  console.error(`${name} …`);
  await mkdir(folder, { recursive: true });
  const file = await open(join(folder, `${name}.txt`), 'w');
  const child = fork(new URL(import.meta.url), [name, ...args], { stdio: ['ignore', file.fd, 'inherit', 'ipc'] });
  const rows = await rowsFrom(child);
  await file.close();
  if (rows) return rows;
  process.exitCode = 1;
  return [{ bench: name, promise: 'runs to its end', figure: 'crashed', isKept: false }];
}

/** Returns the rows that a bench's process sends; undefined when it ends without. */
async function rowsFrom(child: ChildProcess): Promise<readonly NamedRow[] | undefined> {
  let rows: readonly NamedRow[] | undefined;
  child.once('message', (sent) => {
    rows = sent as readonly NamedRow[];
  });
  await once(child, 'exit');
  return rows;
}

function rowOf({ bench, promise, figure, isKept }: NamedRow, quick: boolean): Row {
  return { bench, promise, figure, kept: quick ? 'not judged' : isKept ? 'yes' : 'NO' };
}

const assembledFlag = '--assembled=';
const [first = '--', ...others] = process.argv.slice(2);
const name = first.startsWith('-') ? undefined : first;
const given = name === undefined ? [first, ...others] : others;
const quick = given.includes('--quick');
const options: RunOptions = {
  quick,
  assembled: given.find((arg) => arg.startsWith(assembledFlag))?.slice(assembledFlag.length),
  args: given.filter((arg) => arg !== '--quick' && !arg.startsWith(assembledFlag)),
};
const runEach = quick ? runAllQuickly : runAll;
const rows = await (name === undefined ? runEach() : runOne(name, options));
if (process.send) process.send(rows);
else console.log(`\n${table(rows.map((row) => rowOf(row, quick)))}`);
if (!quick && rows.some(({ isKept }) => !isKept)) process.exitCode = 1;
