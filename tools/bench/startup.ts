import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { startupPromise } from '../../shared/contracts/promises.ts';
import { type FunctionFolder, listFunctionFolders } from '../build/bundle.ts';
import { atMost, type Bench } from './bench.ts';
import { buildBareHandler, buildBundles } from './bundles.ts';
import { folder, median, type Row, save, table } from './report.ts';

/** A quick run measures these functions in one round. */
const quickFolders: readonly FunctionFolder[] = ['reward/authenticate-transaction', 'reward/create-transaction'];
const outdir = join(folder, 'startup-bundles');

/** The size and the import time of one function. */
interface Startup extends Size, ImportComparison {
  readonly name: string;
  /**
   * Whether the start-up time is promised. It is promised for endpoints only, because a caller waits while they start.
   */
  readonly isPromised: boolean;
}

/** `npm run bench startup`: size and import time of every function, compared with a bare handler. */
export const bench: Bench = {
  name: 'startup',
  about: 'size and import time of every bundle, beside a bare handler',
  async run({ quick }) {
    const startups = quick ? await measure(quickFolders, 1) : await measure(listFunctionFolders(), 11);
    const promised = startups.filter(({ isPromised }) => isPromised);
    const highest = (read: (one: Startup) => number) => Math.max(...promised.map(read));
    return [
      atMost('size of an API function', {
        figure: highest(({ sizeKb }) => sizeKb),
        promised: startupPromise.sizeKb,
        inWords: (size) => `${size} KB`,
      }),
      atMost('import time of an API function', {
        figure: highest(({ ratio }) => ratio),
        promised: startupPromise.importRatio,
        inWords: (ratio) => `${ratio.toFixed(2)} times a bare handler's`,
      }),
    ];
  },
};

/** Measures functions and the bare handler, and prints the table. */
async function measure(folders: readonly FunctionFolder[], rounds: number): Promise<Startup[]> {
  const bundles = await buildBundles(folders, outdir);
  const bare = await buildBareHandler(outdir);
  const machine = { node: process.version, cores: availableParallelism(), rounds };
  console.log(`node ${machine.node}, ${machine.cores} cores, medians of ${rounds} rounds of new processes\n`);

  const compared = await compareImports([...bundles.values(), bare], { bare, rounds });
  const startups = await Promise.all(
    [...bundles, ['bare handler', bare] as const].map(([name, file]) => startupOf(name, file, compared.get(file))),
  );
  console.log(table(startups.map(rowOf)));
  await save('startup', { machine, startups });
  return startups;
}

async function startupOf(name: string, file: string, compared: ImportComparison | undefined): Promise<Startup> {
  if (!compared) throw new Error(`${name} was not measured`);
  const isPromised = name.includes('/') && !name.startsWith('consumers/');
  return { name, isPromised, ...(await sizeOf(file)), ...compared };
}

function rowOf({ name, sizeKb, gzipKb, wallMs, cpuMs, bareCpuMs, ratio, isPromised }: Startup): Row {
  return {
    function: name,
    ...aligned({ KB: sizeKb, 'gzip KB': gzipKb, 'wall ms': wallMs, 'cpu ms': cpuMs, 'bare cpu ms': bareCpuMs }, 1),
    ...aligned({ ratio }, 2),
    promise: isPromised ? verdict({ sizeKb, ratio }) : '',
  };
}

/** Formats numbers with the same number of decimals, so that the rows of a table line up. */
function aligned(figures: Readonly<Record<string, number>>, digits: number): Row {
  const width = 6;
  const texts = Object.entries(figures).map(([name, figure]) => [
    name,
    figure.toFixed(digits).padStart(Math.max(width, name.length)),
  ]);
  return Object.fromEntries(texts);
}

function verdict({ sizeKb, ratio }: Pick<Startup, 'sizeKb' | 'ratio'>): string {
  return sizeKb <= startupPromise.sizeKb && ratio <= startupPromise.importRatio ? 'kept' : 'BROKEN';
}

/** The size of a bundle in KB of 1024 bytes, rounded to a tenth. */
interface Size {
  readonly sizeKb: number;
  readonly gzipKb: number;
}

/** Measures the size of a file. */
export async function sizeOf(file: string): Promise<Size> {
  const code = await readFile(file);
  return { sizeKb: kilobytes(code.byteLength), gzipKb: kilobytes(gzipSync(code).byteLength) };
}

const kilobytes = (bytes: number): number => Math.round((bytes / 1024) * 10) / 10;

interface Import {
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface ImportPair {
  readonly own: Import;
  readonly bare: Import;
}

/** The median import times of a bundle, and of the bare handler that each round imports directly before or after it. */
interface ImportComparison {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bareCpuMs: number;
  /**
   * Processor time as a multiple of the bare handler's processor time. The value is the median of the ratios of all
   * pairs, because a slow moment of the machine slows both imports of a pair. An import waits only for the processor.
   * So on a machine without other load, the elapsed times have the same ratio.
   */
  readonly ratio: number;
}

/** Compares bundles with the bare handler, which each round imports directly before or after every bundle. */
async function compareImports(
  files: readonly string[],
  { bare, rounds }: { readonly bare: string; readonly rounds: number },
): Promise<Map<string, ImportComparison>> {
  const pairs = new Map(files.map((file) => [file, [] as ImportPair[]]));
  for (let round = 0; round < rounds; round += 1) {
    // Bundle and bare handler take turns in going first, because the second import finds its files in the disk's cache.
    for (const [file, measured] of pairs) measured.push(await importPair(file, bare, round % 2 === 0));
  }
  return new Map([...pairs].map(([file, measured]) => [file, comparisonOf(measured)]));
}

async function importPair(file: string, bareFile: string, ownFirst: boolean): Promise<ImportPair> {
  const early = ownFirst ? await measureImport(file) : undefined;
  const bare = await measureImport(bareFile);
  return { own: early ?? (await measureImport(file)), bare };
}

function comparisonOf(pairs: readonly ImportPair[]): ImportComparison {
  return {
    wallMs: median(pairs.map(({ own }) => own.wallMs)),
    cpuMs: median(pairs.map(({ own }) => own.cpuMs)),
    bareCpuMs: median(pairs.map(({ bare }) => bare.cpuMs)),
    ratio: median(pairs.map(({ own, bare }) => own.cpuMs / bare.cpuMs)),
  };
}

const run = promisify(execFile);

/**
 * A program that loads a bundle by `require`, as Lambda does, and prints the milliseconds of elapsed time and of
 * processor time.
 */
const program = `
const startedAt = performance.now();
const startedCpu = process.threadCpuUsage();
require(process.argv[1]);
const { user, system } = process.threadCpuUsage(startedCpu);
process.stdout.write(JSON.stringify({ wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 }));
process.exit();`;

/** Imports a bundle in a new process, which cannot use code that an earlier process compiled. */
async function measureImport(file: string): Promise<Import> {
  const { NODE_COMPILE_CACHE: _, NODE_OPTIONS: __, ...environment } = process.env;
  const env = { ...environment, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '--eval', program, file], { env });
  return JSON.parse(stdout) as Import;
}
