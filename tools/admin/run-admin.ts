import { CommanderError } from '@commander-js/extra-typings';
import { Cli, type Terminal } from './cli/cli.ts';
import { printable, sentenceOf, UsageError } from './cli/text.ts';
import { auditCommands } from './commands/audit.ts';
import { cashbackCommands, statementCommands } from './commands/bookkeeping.ts';
import { campaignCommands } from './commands/campaign.ts';
import { clientCommands, keyCommands } from './commands/credential.ts';
import { memberCommands } from './commands/member.ts';
import { adjustmentCommands } from './commands/member-desk.ts';
import { orderCommands } from './commands/order.ts';
import { organisationCommands } from './commands/organisation.ts';
import { partnershipCommands } from './commands/partnership.ts';
import { paymentsCommands } from './commands/payments.ts';
import { platformKeyCommands } from './commands/platform-key.ts';
import { programCommands } from './commands/program.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { transactionCommands } from './commands/records.ts';
import { staffCommands } from './commands/staff.ts';
import { templateCommands } from './commands/template.ts';
import { tokenCommands } from './commands/token.ts';
import { traceCommand } from './commands/trace.ts';
import { triggerCommands } from './commands/trigger.ts';
import { webhookCommands } from './commands/webhook.ts';

type AddGroup = (cli: Cli) => void;

/** Every group of commands, in the order of the help and under its headings. */
const commandGroups: Readonly<Record<string, readonly AddGroup[]>> = {
  'Every day:': [
    memberCommands,
    transactionCommands,
    orderCommands,
    adjustmentCommands,
    cashbackCommands,
    statementCommands,
    paymentsCommands,
    campaignCommands,
  ],
  'Set up:': [
    organisationCommands,
    staffCommands,
    keyCommands,
    clientCommands,
    tokenCommands,
    partnershipCommands,
    programCommands,
    templateCommands,
    triggerCommands,
  ],
  'Repair:': [reconcileCommand, traceCommand, auditCommands, webhookCommands, platformKeyCommands],
};

/** The exit statuses of the command line. */
const status = { fine: 0, failed: 1, wrongUsage: 2 } as const;

/** The command line with all of its commands. */
export function commandLine(terminal: Terminal): Cli {
  const cli = new Cli(terminal);
  for (const [heading, groups] of Object.entries(commandGroups)) {
    cli.program.commandsGroup(heading);
    for (const addGroup of groups) addGroup(cli);
  }
  return cli;
}

/** Runs the operator's command line and returns the exit status. */
export async function runAdmin(args: readonly string[], terminal: Terminal): Promise<number> {
  const cli = commandLine(terminal);
  try {
    await cli.program.parseAsync([...args], { from: 'user' });
    return cli.hasBadNews ? status.failed : status.fine;
  } catch (error) {
    return statusOf(error, terminal);
  }
}

function statusOf(error: unknown, terminal: Terminal): number {
  // Commander has printed its errors and the help already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? status.fine : status.wrongUsage;
  terminal.err(`${printable(sentenceOf(error))}\n`);
  return error instanceof UsageError ? status.wrongUsage : status.failed;
}
