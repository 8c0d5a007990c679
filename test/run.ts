import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs all tests, or those whose paths contain an argument. The flow tests have a process of their own: their platform
 * runs in Vitest's main process, which is slow after thousands of other tests. The last line that is printed counts
 * the tests of all processes.
 */

const processes = [['unit', 'infra'], ['flow']];
const folder = mkdtempSync(join(tmpdir(), 'tally-'));
const env = { ...process.env, TALLY_FILE: join(folder, 'tally.json') };

const statuses = processes.map((projects) => {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const args = ['run', '--passWithNoTests', ...chosen, ...process.argv.slice(2)];
  return spawnSync('vitest', args, { stdio: 'inherit', env }).status ?? 1;
});
rmSync(folder, { recursive: true, force: true });
process.exitCode = Math.max(...statuses);
