import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from './median.ts';

const run = promisify(execFile);

/** Loads a bundle as Lambda does, by `require`, and prints the milliseconds: those that passed, and the thread's own. */
const program = `
const startedAt = performance.now();
const startedCpu = process.threadCpuUsage();
require(process.argv[1]);
const { user, system } = process.threadCpuUsage(startedCpu);
process.stdout.write(JSON.stringify({ wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 }));
process.exit();`;

interface Import {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What importing a bundle takes in a new process, whose code no earlier one has compiled. */
async function importOf(file: string): Promise<Import> {
  const { NODE_COMPILE_CACHE: _, NODE_OPTIONS: __, ...environment } = process.env;
  const env = { ...environment, NODE_DISABLE_COMPILE_CACHE: '1' };
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '--eval', program, file], { env });
  return JSON.parse(stdout) as Import;
}

/** Medians of a bundle's import times, beside those of another one. */
export interface Comparison {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bareCpuMs: number;
  /**
   * Processor time as a multiple of the bare one's. Of the pairs, not of the medians: what slows the machine
   * down slows down both of a pair. Importing waits for nothing but the processor, so this is the ratio of the
   * times too; and who else wants the processor is not in it.
   */
  readonly ratio: number;
}

/** Compares bundles with a bare one: medians over rounds, in each of which every bundle runs next to the bare one. */
export async function compareImports(
  files: readonly string[],
  bare: string,
  rounds: number,
): Promise<Map<string, Comparison>> {
  const pairs = new Map(files.map((file) => [file, [] as Pair[]]));
  for (let round = 0; round < rounds; round += 1) {
    // Nobody is always the first of the pair.
    for (const [file, measured] of pairs) measured.push(await pair(file, bare, round % 2 === 0));
  }
  return new Map([...pairs].map(([file, measured]) => [file, comparison(measured)]));
}

interface Pair {
  readonly own: Import;
  readonly bare: Import;
}

async function pair(file: string, bareFile: string, ownFirst: boolean): Promise<Pair> {
  const early = ownFirst ? await importOf(file) : undefined;
  const bare = await importOf(bareFile);
  return { own: early ?? (await importOf(file)), bare };
}

function comparison(pairs: readonly Pair[]): Comparison {
  return {
    wallMs: median(pairs.map(({ own }) => own.wallMs)),
    cpuMs: median(pairs.map(({ own }) => own.cpuMs)),
    bareCpuMs: median(pairs.map(({ bare }) => bare.cpuMs)),
    ratio: median(pairs.map(({ own, bare }) => own.cpuMs / bare.cpuMs)),
  };
}
