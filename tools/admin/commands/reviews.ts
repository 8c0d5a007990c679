import * as z from 'zod/mini';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { approveReleases, endReview, endReviews, listHeld } from '../../../shared/operations/ledger/review-held.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import { readCsvFile, withUnreadable } from '../cli/csv.ts';
import * as input from '../cli/input.ts';
import { localMoment } from '../cli/moments.ts';
import { count, UsageError } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';
import { worthText } from '../explain/refunds.ts';
import { approvalReport } from '../views/approval.ts';
import { importReport } from '../views/import.ts';
import { type ListContext, placeColumns, type RecordList } from '../views/records.ts';
import { listReport } from './list-report.ts';

type Group = ReturnType<Cli['add']>;

/** The options that select held rewards. */
type HeldOptions = input.Given<'member' | 'of' | 'program'>;

const memberOption = [
  '--member <member>',
  'only of this member: id or UUID; with --of the id that the organisation uses',
] as const;
const programOption = ['--program <organisation>', 'only of the program of this partner, by id or exact name'] as const;

/** Adds the commands that review held rewards. */
export function addReviewCommands(group: Group, cli: Cli): void {
  addCommand(group, 'held')
    .description(
      'List the rewards that are held for review: a velocity rule had no room, or the account was blocked. Oldest first.',
    )
    .option(...memberOption)
    .option(...input.ofOption)
    .option(...programOption)
    .option('--csv', 'print CSV (RFC 4180); release and refuse read it with --file')
    .action(
      cli.door(
        async (operator, options) => {
          const records = await listHeld(filterOf(options), operator.deps);
          return listReport(heldList, { records, hasMore: false }, options, operator);
        },
        'transaction held',
        'transaction held --program "Skyline Miles" --csv',
      ),
    );

  addEnd(group, cli, {
    name: 'release',
    outcome: 'RELEASED',
    description: 'Let held rewards go on to their program, as usual. No velocity rule counts them.',
    reason: 'The member proved the purchases',
  });
  addEnd(group, cli, {
    name: 'refuse',
    outcome: 'REFUSED',
    description: 'Refuse held rewards for good: they become FAILED, and what they used of limits is returned.',
    reason: 'Points farming, ticket T-22',
  });
}

/** What differs between `release` and `refuse`, the two commands that end reviews. */
interface End {
  readonly name: 'release' | 'refuse';
  readonly outcome: 'RELEASED' | 'REFUSED';
  readonly description: string;
  /** The reason in the examples of the command. */
  readonly reason: string;
}

type EndOptions = HeldOptions & input.Needed<'reason'> & input.Given<'file'> & input.Given<'all' | 'approve', true>;

function addEnd(group: Group, cli: Cli, end: End): void {
  const command = addCommand(group, end.name)
    .description(`${end.description} Give one transaction, a file, or --all.`)
    .argument('[transaction]', 'id or UUID of the reward transaction')
    .requiredOption('--reason <text>', 'why, in one sentence; it stays in the books', input.shortText)
    .option('--file <file>', 'CSV file with a column id, such as the output of transaction held --csv')
    .option('--all', 'every held reward of --member, --program, or both')
    .option(...memberOption)
    .option(...input.ofOption)
    .option(...programOption);
  // Only a release gives something to a member.
  (end.outcome === 'RELEASED' ? command.option(...input.approveOption) : command).action(
    cli.door(
      (operator, id: string | undefined, options: EndOptions) => endAll(operator, id, options, end),
      `transaction ${end.name} 3764875723649152 --reason "${end.reason}"`,
      `transaction ${end.name} --all --member cc-1001 --of "Corner Coffee" --reason "${end.reason}"`,
      `transaction ${end.name} --file held.csv --reason "${end.reason}"`,
    ),
  );
}

async function endAll(
  { deps, confirm }: Operator,
  id: string | undefined,
  { reason, file, all, approve, ...options }: EndOptions,
  { name, outcome }: End,
): Promise<Report> {
  if ([id, file, all].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError('give one transaction, or --file, or --all');
  }
  if (id !== undefined && approve) return approvalReport(await approveReleases([{ line: 1, row: id }], deps));
  if (id !== undefined) {
    const ended = await endReview({ id, outcome, reason }, deps);
    const effect = outcome === 'RELEASED' ? 'is on the way to its program' : 'is refused';
    return { json: { transaction: ended.id, outcome }, text: `Transaction ${ended.id} ${effect}.` };
  }
  const { rows, faults } = file === undefined ? await selectAll(options, deps) : await readIds(file);
  if (approve) return approvalReport(await approveReleases(rows, deps));
  if (rows.length > 0) await confirm(`Do you want to ${name} ${rows.length} held rewards?`);
  const report = withUnreadable(await endReviews(rows, { outcome, reason }, deps), { faults });
  const ended = outcome.toLowerCase();
  return importReport(
    report,
    ({ line }) => (file === undefined ? `transaction ${rows[line - 1]?.row}` : `line ${line}`),
    ({ changed, unchanged }) => `${count(changed)} ${ended}, ${count(unchanged)} already ${ended} before`,
  );
}

async function readIds(file: string) {
  const { rows, faults } = await readCsvFile(file, z.object({ id: z.string().check(z.minLength(1)) }));
  return { rows: rows.map(({ line, row }) => ({ line, row: row.id })), faults };
}

async function selectAll(options: HeldOptions, deps: Operator['deps']) {
  if (options.member === undefined && options.program === undefined) {
    throw new UsageError('--all needs --member or --program');
  }
  const found = await listHeld(filterOf(options), deps);
  return { rows: found.map((one, position) => ({ line: position + 1, row: String(one.id) })), faults: [] };
}

const filterOf = ({ member, of, program }: HeldOptions) => ({
  member: member === undefined ? undefined : { id: member, organisation: of },
  program,
});

const rulesOf = ({ review }: RewardTransaction) => review?.breaches.map(({ rule }) => rule).join(' ') || 'blocked';

const heldList: RecordList<RewardTransaction> = {
  name: 'held',
  none: 'No such reward is held for review.',
  view: viewOf<RewardTransaction, ListContext>()({
    id: { head: 'transaction' },
    held_at: {
      head: 'held since',
      json: ({ review }) => review?.heldAt ?? null,
      cell: ({ review, updatedAt }, { timeZone }) => localMoment(review?.heldAt ?? updatedAt, timeZone),
    },
    reward: { head: 'reward', json: null, cell: (one) => worthText(one) ?? null },
    points: {},
    cashback_cents: { json: ({ cashbackCents }) => cashbackCents },
    user_id: { head: 'member', json: ({ userId }) => userId },
    ...placeColumns,
    order: { head: 'order', json: ({ externalTransactionId }) => externalTransactionId },
    rules: { head: 'because of', json: rulesOf },
  }),
};
