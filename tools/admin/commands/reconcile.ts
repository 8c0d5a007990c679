import { differenceOf } from '../../../shared/domain/ledger/totals.ts';
import type { Books, Mismatch } from '../../../shared/domain/reconciliation/invariants.ts';
import { findMember } from '../../../shared/operations/member/find-member.ts';
import { reconcileBooks } from '../../../shared/operations/reconcile-books.ts';
import {
  reconcileTotals,
  subjectText,
  totalsMismatches,
  type WrongTotals,
  waitingIn,
} from '../../../shared/operations/reconcile-totals.ts';
import { correctionWrite, TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { type Cli, examples, type Report } from '../cli/cli.ts';
import { UsageError } from '../cli/errors.ts';
import type { Operator } from '../cli/operator.ts';
import { count, listed, paragraphs, section, table } from '../cli/text.ts';
import { readAll } from '../reconcile/read-books.ts';

/** What `reconcile` was told. */
interface Options {
  readonly member?: string | undefined;
  readonly of?: string | undefined;
  readonly repair?: true | undefined;
}

/** Totals that move are looked at again, in the hope of a moment of peace. */
const maximumLooks = 5;

export function reconcileCommand(cli: Cli): void {
  cli
    .add('reconcile', 'Compare balances, held points, transactions and totals with the ledger. Reads the whole table.')
    .option('--member <member>', 'only what belongs to one member: id or UUID; an organisation’s own id with --of')
    .option('--of <organisation>', 'whose own id of the member is given, by id or exact name')
    .option('--repair', 'correct the totals of campaigns and partnerships; nothing else is ever changed')
    .addHelpText('after', '\nEnds with status 1 when something differs.\n')
    .addHelpText(
      'after',
      examples('reconcile', 'reconcile --member cc-1001 --of "Corner Coffee"', 'reconcile --repair'),
    )
    .action(cli.door(reconcile));
}

async function reconcile(operator: Operator, options: Options): Promise<Report> {
  if (options.of !== undefined && options.member === undefined) throw new UsageError('--of needs --member');
  if (options.member !== undefined) {
    if (options.repair) throw new UsageError('--repair is about totals, which are of all members together');
    return reconcileMember(operator, options.member, options.of);
  }
  if (options.repair) await repairTotals(operator);
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

async function reconcileMember(operator: Operator, text: string, of: string | undefined): Promise<Report> {
  const { user } = await findMember({ id: text, organisation: of }, operator.deps);
  const readAgain = async () => booksOf(user.id, await readBooks(operator));
  const first = await readAgain();
  const { mismatches, moving } = await reconcileBooks({ first, readAgain, now: operator.deps.now });
  return reportOf(sizesOf(first), mismatches, moving);
}

const readTable = ({ deps, stage }: Operator) => readAll(deps, { name: stage.tableName, documents: stage.documents });

const readBooks = async (operator: Operator) => (await readTable(operator)).books;

/** The part of the books that is one member's. */
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
      isBad ? section('What differs', table(['where', 'what', 'is', 'should be'], rows)) : 'Everything fits together.',
      ...(notCompared.length > 0
        ? [`Nothing can be said of what moved while it was read: ${listed(notCompared)}.`]
        : []),
    ),
    isBad,
  };
}

/** Counts what waits to be counted, then adds to each of the totals what it lacks. */
async function repairTotals(operator: Operator): Promise<void> {
  const first = await readTable(operator);
  const { wrong, late, moving } = reconcileTotals(first);
  if (wrong.length + late.length + moving.length === 0) return;
  await operator.confirm('Correct the totals of campaigns and partnerships by the ledger?');

  // By the counter of the stream itself, which counts nothing twice whoever of the two is first.
  await new TotalsCounter(operator.deps.table).count(first.entries.filter(waitingIn(first)), first.now);
  if (late.length > 0) {
    const what = `counted ${late.length} entries of the ledger that were in no totals`;
    await operator.change({ what, writes: [], conflict: what });
  }
  for (let looks = 1; looks <= maximumLooks; looks += 1) {
    const verdict = reconcileTotals(await readTable(operator));
    for (const totals of verdict.wrong) await correct(operator, totals);
    if (verdict.moving.length === 0) return;
  }
}

async function correct(operator: Operator, { subject, found, expected, first }: WrongTotals): Promise<void> {
  const add = differenceOf(expected, found);
  const name = subjectText(subject);
  await operator.change({
    what:
      `corrected the totals of ${name} by ${add.earnedPoints} points earned, ` +
      `${add.redeemedPoints} redeemed and ${add.transactions} transactions`,
    writes: [correctionWrite(subject, first, add)],
    conflict: `the totals of ${name} moved meanwhile; what was not corrected yet is as it was, try again`,
  });
}
