import { CommanderError } from '@commander-js/extra-typings';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { Cli } from './cli/cli.ts';
import { sentenceOf, UsageError } from './cli/errors.ts';
import type { Terminal } from './cli/terminal.ts';
import { printable } from './cli/text.ts';
import { commandGroups } from './commands/groups.ts';

/** Statuses that the command line ends with. */
const status = { fine: 0, failed: 1, wrongUsage: 2 } as const;

/** Runs the operator's command line and gives the status to end with. */
export async function runAdmin(args: readonly string[], terminal: Terminal): Promise<number> {
  // The small zod brings no words for what is wrong with a file.
  z.config(en());
  const cli = new Cli(terminal);
  for (const addGroup of commandGroups) addGroup(cli);
  try {
    await cli.program.parseAsync([...args], { from: 'user' });
    return cli.hasBadNews ? status.failed : status.fine;
  } catch (error) {
    return statusOf(error, terminal);
  }
}

function statusOf(error: unknown, terminal: Terminal): number {
  // Commander has said it already: it is the help, or what is wrong with the usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? status.fine : status.wrongUsage;
  terminal.err(`${printable(sentenceOf(error))}\n`);
  return error instanceof UsageError ? status.wrongUsage : status.failed;
}
