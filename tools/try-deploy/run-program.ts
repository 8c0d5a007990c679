import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** A program that failed, with the end of what it printed. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
}

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The file to which the program's output is written. */
  readonly log: string;
  readonly cwd?: string;
  /** Ends the program. */
  readonly signal: AbortSignal;
  /** Exit codes that do not count as failure. Default: 0. */
  readonly accepted?: readonly number[];
}

const shownLines = 30;

/**
 * Runs a program to its end and returns what it printed on its standard output.
 * @throws ProgramError with the end of the log when it fails
 */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { env, log, cwd, signal, accepted = [0] }: ProgramOptions,
): Promise<string> {
  signal.throwIfAborted();
  // A program and the programs that it starts form one process group, so all of them end together.
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });
  const end = () => endGroup(child.pid, 'SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  signal.removeEventListener('abort', end);
  file.end();
  await once(file, 'close');
  if (accepted.includes(code)) return output;
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-shownLines);
  throw new ProgramError(`${program} ${args[0]} failed (${code}); ${log} ends with:\n${lines.join('\n')}`);
}

/** Ends all processes of a group. */
export function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
