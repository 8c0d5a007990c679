import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program that runs next to the platform and ends with it. */
export interface Companion {
  readonly pid: number;
  /** Resolves when the program has ended for any reason. */
  readonly ended: Promise<void>;
  /** Returns the last part of the program's standard error. */
  errorOutput(): string;
  stop(): Promise<void>;
}

/**
 * Starts the program, and reads standard input at the same time. When the platform ends, even by a kill, standard input
 * ends, and the script ends the program. Standard input is copied to descriptor 3, because a shell gives background
 * jobs no standard input.
 */
const guardScript = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
echo $program
{ cat <&3 >/dev/null; kill $program 2>/dev/null; } >/dev/null 2>&1 &
wait $program`;

/** The program is killed if it has not ended within this time after SIGTERM. */
const stopLimitMs = 3_000;

const errorOutputLimit = 2_000;

/**
 * Runs a program until it is stopped or this process ends.
 *
 * @param environment variables in addition to those of this process
 */
export async function startCompanion(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Companion> {
  // A process group of its own: Ctrl-C reaches only the platform. The platform then stops its parts in order.
  const child = spawn('/bin/sh', ['-c', guardScript, 'guard', program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...environment },
  });
  const ended = once(child, 'exit').then(() => undefined);
  let errorOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = `${errorOutput}${chunk}`.slice(-errorOutputLimit);
  });
  const pid = Number(await readFirstLine(child));
  if (!Number.isInteger(pid) || pid <= 0) throw new Error(`could not run ${program}`);
  child.stdout?.resume();

  const stop = async (): Promise<void> => {
    signal(pid, 'SIGTERM');
    const killTimer = setTimeout(() => signal(pid, 'SIGKILL'), stopLimitMs);
    await ended;
    clearTimeout(killTimer);
    child.stdin?.destroy();
  };
  return { pid, ended, stop, errorOutput: () => errorOutput.trim() };
}

async function readFirstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('a companion needs a standard output');
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [''])]);
  return String(line);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The program has ended already.
  }
}
