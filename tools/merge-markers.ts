import { spawnSync } from 'node:child_process';
import { CommandError, runCommand } from './command.ts';

/** A part of `npm run lint`: refuses tracked files in which a merge left its markers. */

/** The first and last line of a conflict. The line between, of equals signs, may also underline a heading. */
const marker = '^(<{7}|>{7})( |$)';

runCommand(() => {
  const { status, stdout, stderr } = spawnSync('git', ['grep', '-nIE', marker, '--', ':/'], { encoding: 'utf8' });
  if (status === 0) throw new CommandError(`${stdout}A merge left these lines: join both halves, and delete the lines`);
  // `git grep` ends with 1 when it finds nothing.
  if (status !== 1) throw new CommandError(`git failed: ${stderr.trim()}`);
});
