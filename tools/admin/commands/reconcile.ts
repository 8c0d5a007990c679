import { differenceOf } from '../../../shared/domain/ledger/totals.ts';
import { findMember } from '../../../shared/operations/member/find-member.ts';
import { correctionWrite, TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { type Cli, examples, type Report } from '../cli/cli.ts';
import { UsageError } from '../cli/errors.ts';
import type { Operator } from '../cli/operator.ts';
import { count, listed, paragraphs, section, table } from '../cli/text.ts';
import type { Books } from '../reconcile/books.ts';
import type { Difference } from '../reconcile/invariants.ts';
import { readAll } from '../reconcile/read.ts';
import { settle } from '../reconcile/settle.ts';
import { compareTotals, subjectText, totalsDifferences, type WrongTotals, waitingIn } from '../reconcile/totals.ts';

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
  const reading = await look(operator);
  const { differences, restless } = await settle(reading.books, () => lookAtBooks(operator), operator.deps.now);
  const totals = compareTotals(reading);
  return reportOf(
    { ...sizesOf(reading.books), totals: totals.compared },
    [...differences, ...totalsDifferences(totals)],
    [...restless, ...totals.restless.map(subjectText)],
  );
}

async function reconcileMember(operator: Operator, text: string, of: string | undefined): Promise<Report> {
  const { user } = await findMember({ id: text, organisation: of }, operator.deps);
  const lookAtOwn = async () => booksOf(user.id, await lookAtBooks(operator));
  const books = await lookAtOwn();
  const { differences, restless } = await settle(books, lookAtOwn, operator.deps.now);
  return reportOf(sizesOf(books), differences, restless);
}

const look = ({ deps, stage }: Operator) => readAll(deps, { name: stage.tableName, documents: stage.documents });

const lookAtBooks = async (operator: Operator) => (await look(operator)).books;

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
  differences: readonly Difference[],
  notCompared: readonly string[],
): Report {
  const counts = Object.entries(compared).map(([name, number]) => `${count(number)} ${name}`);
  const rows = differences.map(({ subject, what, found, expected }) => [subject, what, found, expected]);
  const isBad = differences.length > 0;
  return {
    json: { compared, differences: differences.map(({ userId: _, ...difference }) => difference), notCompared },
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
  const first = await look(operator);
  const { wrong, late, restless } = compareTotals(first);
  if (wrong.length + late.length + restless.length === 0) return;
  await operator.confirm('Correct the totals of campaigns and partnerships by the ledger?');

  // By the counter of the stream itself, which counts nothing twice whoever of the two is first.
  await new TotalsCounter(operator.deps.table).count(first.entries.filter(waitingIn(first)), first.now);
  if (late.length > 0) {
    const what = `counted ${late.length} entries of the ledger that were in no totals`;
    await operator.change({ what, writes: [], conflict: what });
  }
  for (let looks = 1; looks <= maximumLooks; looks += 1) {
    const verdict = compareTotals(await look(operator));
    for (const totals of verdict.wrong) await correct(operator, totals);
    if (verdict.restless.length === 0) return;
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
