import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program that runs beside the platform and never outlives it. */
export interface Companion {
  readonly pid: number;
  /** Resolves when the program has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** The last that it wrote to its standard error. */
  complaint(): string;
  stop(): Promise<void>;
}

/**
 * Starts the program and waits on its standard input beside it: that ends when the platform ends, killed or not,
 * and then the program is ended too. Descriptor 3 is used because a shell gives background jobs no standard input.
 */
const guard = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
echo $program
{ cat <&3 >/dev/null; kill $program 2>/dev/null; } >/dev/null 2>&1 &
wait $program`;

/** How long a program may take to end when asked to, before it is killed. */
const patienceMs = 3_000;

const complaintLimit = 2_000;

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('a companion needs a standard output');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])])) as [string];
  return line;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}

/** Runs a program until it is stopped or this process ends. */
export async function startCompanion(program: string, args: readonly string[]): Promise<Companion> {
  // A group of its own, so that Ctrl-C reaches the platform alone and it decides the order of things.
  const child = spawn('/bin/sh', ['-c', guard, 'guard', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'exit').then(() => undefined);
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-complaintLimit);
  });
  const pid = Number(await firstLine(child));
  if (!Number.isInteger(pid) || pid <= 0) throw new Error(`could not run ${program}`);
  child.stdout?.resume();

  const stop = async (): Promise<void> => {
    signal(pid, 'SIGTERM');
    const killed = setTimeout(() => signal(pid, 'SIGKILL'), patienceMs);
    await ended;
    clearTimeout(killed);
    child.stdin?.destroy();
  };
  return { pid, ended, stop, complaint: () => complaint.trim() };
}
