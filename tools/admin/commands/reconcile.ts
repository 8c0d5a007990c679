import type { Books, Mismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import { findMember, type MemberReference } from '../../../shared/operations/member/manage-members.ts';
import { reconcileBooks } from '../../../shared/operations/reconcile-books.ts';
import {
  reconcileTotals,
  repairTotals,
  subjectText,
  totalsMismatches,
} from '../../../shared/operations/reconcile-totals.ts';
import { type Cli, examples, type Operator, ofOption, type Report } from '../cli/cli.ts';
import { count, listed, paragraphs, section, table, UsageError } from '../cli/text.ts';
import { readAll } from '../reconcile/read-books.ts';

interface ReconcileOptions {
  readonly member?: string | undefined;
  readonly of?: string | undefined;
  readonly repair?: true | undefined;
}

export function reconcileCommand(cli: Cli): void {
  cli
    .add('reconcile', 'Compare balances, held points, transactions and totals with the ledger. Reads the whole table.')
    .option('--member <member>', 'only one member: id or UUID; with --of the id that the organisation uses')
    .option(...ofOption)
    .option('--repair', 'correct the totals of campaigns and partnerships; nothing else is changed')
    .addHelpText('after', '\nEnds with status 1 when something differs.\n')
    .addHelpText(
      'after',
      examples('reconcile', 'reconcile --member cc-1001 --of "Corner Coffee"', 'reconcile --repair'),
    )
    .action(cli.door(reconcile));
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
  const totals = reconcileTotals(reading);
  return reportOf(
    { ...sizesOf(reading.books), totals: totals.compared },
    [...books.mismatches, ...totalsMismatches(totals)],
    [...books.moving, ...totals.moving.map(subjectText)],
  );
}

async function reconcileMember(operator: Operator, reference: MemberReference): Promise<Report> {
  const { user } = await findMember(reference, operator.deps);
  const readAgain = async () => booksOf(user.id, await readBooks(operator));
  const first = await readAgain();
  const { mismatches, moving } = await reconcileBooks({ first, readAgain, now: operator.deps.now });
  return reportOf(sizesOf(first), mismatches, moving);
}

const readTable = ({ deps, stage }: Operator) => readAll(deps, { name: stage.tableName, documents: stage.documents });

const readBooks = async (operator: Operator) => (await readTable(operator)).books;

/** The books of one member. */
function booksOf(member: number, { memberships, transactions, claims, entries, usage }: Books): Books {
  const isOwn = ({ userId }: { readonly userId: number }) => userId === member;
  return {
    memberships: memberships.filter(isOwn),
    transactions: transactions.filter(isOwn),
    claims: claims.filter(isOwn),
    entries: entries.filter(isOwn),
    usage: usage.filter(isOwn),
  };
}

function sizesOf({ memberships, transactions, claims, entries, usage }: Books): Record<string, number> {
  return {
    accounts: memberships.length,
    transactions: transactions.length,
    claims: claims.length,
    entries: entries.length,
    limits: usage.length,
  };
}

function reportOf(
  compared: Readonly<Record<string, number>>,
  mismatches: readonly Mismatch[],
  notCompared: readonly string[],
): Report {
  const counts = Object.entries(compared).map(([name, number]) => `${count(number)} ${name}`);
  const rows = mismatches.map(({ subject, what, found, expected }) => [subject, what, found, expected]);
  const isBad = mismatches.length > 0;
  return {
    json: { compared, differences: mismatches.map(({ userId: _, ...mismatch }) => mismatch), notCompared },
    text: paragraphs(
      `Compared: ${counts.join(', ')}.`,
      isBad
        ? section('Differences', table(['where', 'value', 'found', 'expected'], rows))
        : 'Everything is consistent.',
      ...(notCompared.length > 0 ? [`Not compared, because it moved while it was read: ${listed(notCompared)}.`] : []),
    ),
    isBad,
  };
}
