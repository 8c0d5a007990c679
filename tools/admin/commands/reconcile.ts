import { setTimeout } from 'node:timers/promises';
import { type Books, keptUser, type Mismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import { findOverdueWork, type PendingWork } from '../../../shared/domain/reconciliation/pending.ts';
import { findMember, type MemberReference } from '../../../shared/operations/member/manage-members.ts';
import { checkPurchase } from '../../../shared/operations/reconcile/check-purchase.ts';
import { checkPurchases, purchasesIn } from '../../../shared/operations/reconcile/check-purchases.ts';
import { reconcileBooks } from '../../../shared/operations/reconcile/reconcile-books.ts';
import {
  reconcileTotals,
  repairTotals,
  subjectText,
  totalsMismatches,
} from '../../../shared/operations/reconcile/reconcile-totals.ts';
import type { Cli, Operator, Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { type Cell, count, listed, paragraphs, section, table, UsageError } from '../cli/text.ts';
import { type Reading, readAll } from '../reconcile/read-books.ts';
import { type DeadLetters, readDeadLetters } from '../reconcile/read-queues.ts';

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
  if (options.member !== undefined) {
    if (options.repair) throw new UsageError('--repair corrects totals, which cover all members: leave --member out');
    return reconcileMember(operator, { id: options.member, organisation: options.of });
  }
  if (options.repair) {
    const confirm = () => operator.confirm('Correct the totals of campaigns and partnerships by the ledger?');
    await repairTotals({ read: () => readTable(operator), confirm }, operator.deps);
  }
  const reading = await readTable(operator);
  const { now } = operator.deps;
  const books = await reconcileBooks({ first: reading.books, readAgain: () => readBooks(operator), now });
  const purchases = await checkAll(reading.books, operator);
  const totals = reconcileTotals(reading);
  const { queues } = operator.stage;
  return reportOf({
    compared: { ...sizesOf(reading.books), totals: totals.compared },
    mismatches: [...books.mismatches, ...purchases, ...totalsMismatches(totals)],
    pending: findOverdueWork({ ...reading.books, pending: reading.pending }, now()),
    deadLetters: queues ? await readDeadLetters(queues) : null,
    notCompared: [...books.moving, ...totals.moving.map(subjectText)],
  });
}

async function reconcileMember(operator: Operator, reference: MemberReference): Promise<Report> {
  const { user } = await findMember(reference, operator.deps);
  const { now } = operator.deps;
  const reading = await readTable(operator);
  const first = booksOf(user.id, reading.books);
  const readAgain = async () => booksOf(user.id, await readBooks(operator));
  const { mismatches, moving } = await reconcileBooks({ first, readAgain, now });
  const purchases = await checkAll(first, operator);
  const pending = reading.pending.filter(({ userId }) => userId === user.id);
  return reportOf({
    compared: sizesOf(first),
    mismatches: [...mismatches, ...purchases],
    pending: findOverdueWork({ ...first, pending }, now()),
    deadLetters: null,
    notCompared: moving,
  });
}

/** Checks the rewards of every purchase of the books. */
const checkAll = (books: Books, { deps }: Operator): Promise<Mismatch[]> =>
  checkPurchases(purchasesIn(books), { check: (report) => checkPurchase(report, deps), pause: setTimeout });

const readTable = ({ deps, stage }: Operator): Promise<Reading> =>
  readAll(deps, { name: stage.tableName, documents: stage.documents });

const readBooks = async (operator: Operator) => (await readTable(operator)).books;

/** The books of one member, including the books of members who were merged into this one. */
function booksOf(member: number, books: Books): Books {
  const { memberships, transactions, claims, entries, usage, programAccounts, spending, adjustments, payouts } = books;
  const { associations = [], merges, unreadable = [] } = books;
  const isOwn = ({ userId }: { readonly userId: number }) => keptUser(userId, merges) === keptUser(member, merges);
  return {
    memberships: memberships.filter(isOwn),
    associations: associations.filter(isOwn),
    transactions: transactions.filter(isOwn),
    claims: claims.filter(isOwn),
    entries: entries.filter(isOwn),
    usage: usage.filter(isOwn),
    programAccounts,
    ...(spending && {
      spending: {
        totals: spending.totals.filter(isOwn),
        purchases: spending.purchases.filter(({ spent }) => spent !== undefined && isOwn(spent)),
        unknownPurchases: spending.unknownPurchases,
        reported: spending.reported.filter(isOwn),
        counted: spending.counted,
      },
    }),
    merges,
    adjustments: adjustments.filter(isOwn),
    payouts: payouts.filter(isOwn),
    unreadable: unreadable.filter(({ userId }) => userId !== null && isOwn({ userId })),
  };
}

function sizesOf({ memberships, transactions, claims, entries, usage, spending }: Books): Record<string, number> {
  return {
    accounts: memberships.length,
    transactions: transactions.length,
    claims: claims.length,
    entries: entries.length,
    limits: usage.length,
    purchases: spending?.purchases.length ?? 0,
  };
}

/** Everything that a reconciliation found. */
interface Findings {
  /** How many items were compared, by their kind. */
  readonly compared: Readonly<Record<string, number>>;
  readonly mismatches: readonly Mismatch[];
  /** Work that has been pending for too long. */
  readonly pending: readonly PendingWork[];
  /** Null when the queues were not read. */
  readonly deadLetters: readonly DeadLetters[] | null;
  readonly notCompared: readonly string[];
}

function reportOf({ compared, mismatches, pending, deadLetters, notCompared }: Findings): Report {
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
      notCompared,
    },
    text: paragraphs(
      `Compared: ${counts.join(', ')}.`,
      ...(isBad ? sections : ['Everything is consistent.']),
      ...(deadLetters === null ? ['The dead-letter queues were not read.'] : []),
      ...(notCompared.length > 0 ? [`Not compared, because it moved while it was read: ${listed(notCompared)}.`] : []),
    ),
    isBad,
  };
}

/** A section with a table; null without rows. */
function tableOf(title: string, head: readonly string[], rows: readonly Cell[][]): string | null {
  return rows.length > 0 ? section(title, table(head, rows)) : null;
}
