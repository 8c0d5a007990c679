import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Lints and runs all tests; or only the tests whose paths contain an argument, without lint. The flow tests have a process
 * of their own: their platform runs in Vitest's main process, which is slow after thousands of other tests. The documents
 * have a platform of their own, and are followed at the same time. The last line that is printed counts the tests of all
 * processes.
 *
 * The functions are built once, beside the lint. Tests that need them find their folder in the variable ASSEMBLED.
 */

const rounds = [[['unit', 'infra']], [['flow'], ['documents', 'screens', 'browser']]];
const folder = mkdtempSync(join(tmpdir(), 'tally-'));
const env: NodeJS.ProcessEnv = {
  ...process.env,
  TALLY_FOLDER: folder,
  // Hundreds of processes load the same libraries.
  NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
};

async function run(command: string, ...parts: readonly string[]): Promise<number> {
  const [status] = await once(spawn(command, parts, { stdio: 'inherit', env }), 'exit');
  return status ?? 1;
}

const runProjects = (projects: readonly string[]) =>
  run('vitest', 'run', ...projects.flatMap((project) => ['--project', project]));

async function build(): Promise<void> {
  const assembled = join(folder, 'assembled');
  await promisify(execFile)('node', ['tools/build/assemble.ts', assembled], { env });
  env.ASSEMBLED = assembled;
}

async function runAll(): Promise<number> {
  const [lint] = await Promise.all([run('npm', 'run', 'lint'), build()]);
  if (lint !== 0) return lint;
  const statuses: number[] = [];
  for (const round of rounds) statuses.push(...(await Promise.all(round.map(runProjects))));
  return Math.max(...statuses);
}

const chosen = process.argv.slice(2);
process.exitCode = await (chosen.length > 0 ? run('vitest', 'run', ...chosen) : runAll());
rmSync(folder, { recursive: true, force: true });
