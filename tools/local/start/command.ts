import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ScriptOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the script. */
  readonly signal: AbortSignal;
}

/**
 * Runs one of the project's own scripts with this Node and gives back what it printed.
 * @throws Error with its whole output when it fails
 */
export async function runScript(script: string, { args = [], environment, signal }: ScriptOptions): Promise<string> {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
    signal,
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`node ${script} failed:\n${stdout}${stderr}`);
  return stdout;
}
