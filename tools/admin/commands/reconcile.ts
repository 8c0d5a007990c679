import { findMember } from '../../../shared/operations/member/manage-members.ts';
import { repairTotals } from '../../../shared/operations/reconcile/repair-totals.ts';
import type { Cli, Operator, Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { type Cell, count, listed, paragraphs, section, table, UsageError } from '../cli/text.ts';
import { readAll } from '../reconcile/read-books.ts';
import { type DeadLetters, readDeadLetters } from '../reconcile/read-queues.ts';
import { reconcileTable, type TableReconciliation } from '../reconcile/reconcile-table.ts';

type ReconcileOptions = input.Given<'member' | 'of'> & input.Given<'repair', true>;

export function reconcileCommand(cli: Cli): void {
  cli
    .add(
      'reconcile',
      'Compare balances, held points, transactions and totals with the ledger, spend with the purchases, and rewards with what they should be; ' +
        'report what is pending for too long and what failed. Reads the whole table.',
    )
    .option('--member <member>', 'only one member: id or UUID; with --of the id that the organisation uses')
    .option(...input.ofOption)
    .option('--repair', 'correct the totals of campaigns and partnerships; nothing else is changed')
    .addHelpText(
      'after',
      '\nEnds with status 1 when something differs or is pending for too long, or a dead-letter queue has messages.\n',
    )
    .action(cli.door(reconcile, 'reconcile', 'reconcile --member cc-1001 --of "Corner Coffee"', 'reconcile --repair'));
}

async function reconcile(operator: Operator, options: ReconcileOptions): Promise<Report> {
  if (options.of !== undefined && options.member === undefined) throw new UsageError('--of needs --member');
  const { deps, stage } = operator;
  const table = { name: stage.tableName, documents: stage.documents };
  if (options.member !== undefined) {
    if (options.repair) throw new UsageError('--repair corrects totals, which cover all members: leave --member out');
    const { user } = await findMember({ id: options.member, organisation: options.of }, deps);
    return reportOf({ ...(await reconcileTable(table, deps, user.id)), deadLetters: null });
  }
  if (options.repair) {
    const confirm = () => operator.confirm('Correct the totals of campaigns and partnerships by the ledger?');
    await repairTotals({ read: () => readAll(deps, table), confirm }, deps);
  }
  const found = await reconcileTable(table, deps);
  return reportOf({ ...found, deadLetters: stage.queues ? await readDeadLetters(stage.queues) : null });
}

/** Everything that a reconciliation found. */
interface Findings extends TableReconciliation {
  /** Null when the queues were not read. */
  readonly deadLetters: readonly DeadLetters[] | null;
}

function reportOf({ compared, mismatches, pending, deadLetters, moving }: Findings): Report {
  const counts = Object.entries(compared).map(([name, number]) => `${count(number)} ${name}`);
  const sections = [
    tableOf(
      'Differences',
      ['where', 'value', 'found', 'expected'],
      mismatches.map(({ subject, what, found, expected }) => [subject, what, found, expected]),
    ),
    tableOf(
      'Pending for too long',
      ['what', 'state', 'since'],
      pending.map(({ subject, state, since }) => [subject, state, moment(since)]),
    ),
    tableOf(
      'Dead-letter queues with messages',
      ['queue', 'messages'],
      (deadLetters ?? []).map(({ queue, messages }) => [queue, messages]),
    ),
  ].filter((text) => text !== null);
  const isBad = sections.length > 0;
  return {
    json: {
      compared,
      differences: mismatches.map(({ userId: _, ...mismatch }) => mismatch),
      pending: pending.map(({ userId: _, ...work }) => work),
      deadLetters,
      notCompared: moving,
    },
    text: paragraphs(
      `Compared: ${counts.join(', ')}.`,
      ...(isBad ? sections : ['Everything is consistent.']),
      ...(deadLetters === null ? ['The dead-letter queues were not read.'] : []),
      ...(moving.length > 0 ? [`Not compared, because it moved while it was read: ${listed(moving)}.`] : []),
    ),
    isBad,
  };
}

/** A section with a table; null without rows. */
function tableOf(title: string, head: readonly string[], rows: readonly Cell[][]): string | null {
  return rows.length > 0 ? section(title, table(head, rows)) : null;
}
