import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Whether the machine tells the memory of processes. It is read from /proc. */
export const isMeasurable = process.platform === 'linux';

/** Megabytes by kind of process. */
export type Memory = ReadonlyMap<string, number>;

/** The megabytes of all processes. */
export const totalOf = (memory: Memory): number => [...memory.values()].reduce((sum, megabytes) => sum + megabytes, 0);

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/**
 * Measures a process and its descendants. A memory page that several processes share counts once: it is divided between
 * these processes (PSS). Returns nothing on a machine where that is not {@link isMeasurable}.
 */
export async function measureTree(root: number): Promise<Memory> {
  const memory = new Map<string, number>();
  if (!isMeasurable) return memory;
  for (const pid of descendantsOf(root, await listProcesses())) {
    const megabytes = await readMegabytes(pid);
    const kind = kindOf(await readText(pid, 'cmdline'));
    if (megabytes > 0) memory.set(kind, (memory.get(kind) ?? 0) + megabytes);
  }
  return memory;
}

async function listProcesses(): Promise<Process[]> {
  const names = await readdir('/proc');
  const pids = names.map(Number).filter(Number.isInteger);
  return Promise.all(pids.map(async (pid) => ({ pid, parent: parentOf(await readText(pid, 'stat')) })));
}

/**
 * Reads the parent's id from the text of /proc/PID/stat: it is the second field after the name. The name is in
 * brackets, and may itself contain brackets and spaces.
 */
function parentOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function descendantsOf(root: number, processes: readonly Process[]): number[] {
  const children = processes.filter(({ parent }) => parent === root);
  return [root, ...children.flatMap(({ pid }) => descendantsOf(pid, processes))];
}

/** Returns an empty text when the process has ended. */
async function readText(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
}

async function readMegabytes(pid: number): Promise<number> {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(await readText(pid, 'smaps_rollup'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** The kinds of process, by a part of their command line. The first match counts. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^\S*sh\0/, 'shells'],
  [/^npm/, 'npm'],
  [/^\S*java\0/, 'DynamoDB Local'],
  [/local\/main\.ts/, 'platform and its workers'],
  [/program-server/, 'loyalty program'],
];

const kindOf = (commandLine: string): string =>
  kinds.find(([pattern]) => pattern.test(commandLine))?.[1] ?? 'build and seed';

/** Each measurement costs processor time, which the clients and the platform lack. */
const sampleMs = 1_000;

/** Measures a process and its descendants again and again, and remembers the largest measurement. */
export class PeakMeter {
  readonly #root: number;
  readonly #measuring: Promise<void>;
  #peak: Memory = new Map();
  #isStopped = false;

  constructor(root: number) {
    this.#root = root;
    this.#measuring = this.#measure();
  }

  async #measure(): Promise<void> {
    while (!this.#isStopped) {
      const memory = await measureTree(this.#root);
      if (totalOf(memory) > totalOf(this.#peak)) this.#peak = memory;
      await sleep(sampleMs);
    }
  }

  /** Ends the measurement. Returns the memory at the peak. */
  async stop(): Promise<Memory> {
    this.#isStopped = true;
    await this.#measuring;
    return this.#peak;
  }
}
