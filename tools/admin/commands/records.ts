import { Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { defaultPageItems } from '../../../shared/contracts/limits.ts';
import { RewardTransaction, transactionStates } from '../../../shared/domain/ledger/reward-transaction.ts';
import { orderStates } from '../../../shared/domain/order/order.ts';
import { TriggerEvent, triggerEventStates } from '../../../shared/domain/trigger/trigger-event.ts';
import {
  findOrders,
  type ListedRecord,
  listRecords,
  type RecordFilter,
} from '../../../shared/operations/ledger/list-records.ts';
import {
  approveReversal,
  cancelByOperator,
  retryByOperator,
  reverseByOperator,
} from '../../../shared/operations/ledger/manage-transactions.ts';
import { findMember } from '../../../shared/operations/member/manage-members.ts';
import { findOrganisationOfKind } from '../../../shared/operations/organisation/find-organisation.ts';
import { loadTimeZone, type Place } from '../../../shared/operations/partnership/load-time-zone.ts';
import { findPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { parseOrder } from '../../../shared/store/order/orders.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { count, dollars, listed } from '../cli/text.ts';
import { scan } from '../reconcile/read-books.ts';
import { approvalReport } from '../views/approval.ts';
import { foundOrdersReport, orderList, type RecordList, transactionList, triggerEventList } from '../views/records.ts';
import { transactionView } from '../views/transaction.ts';
import { listReport } from './list-report.ts';
import { addReviewCommands } from './reviews.ts';

const transactionArgument = ['<transaction>', 'id or UUID of the reward transaction'] as const;
const reasonOption = ['--reason <text>', 'why, in one sentence; it stays in the books', input.shortText] as const;

export function transactionCommands(cli: Cli): void {
  const group = cli.add('transaction', 'Reward transactions: find, reverse, cancel, retry and review them.');

  addTransactionList(group, cli);

  addCommand(group, 'reverse')
    .description(
      'Reverse what is left of a completed transaction, without a refund of money. Points that the member has spent ' +
        'are owed, as after a refund. Refunds of the same purchase then reverse nothing more of it.',
    )
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .option(...input.approveOption)
    .action(
      cli.door(async ({ deps, confirm }, id, { reason, approve }) => {
        if (approve) return approvalReport(await approveReversal(id, deps));
        const question = (reversals: readonly RewardTransaction[]) =>
          confirm(`Reverse ${listed(reversals.map(amountText))} of transaction ${id}? The member loses them.`);
        const reversals = await reverseByOperator({ id, reason, confirm: question }, deps);
        return {
          json: { reversals: reversals.map(transactionView) },
          text: reversals
            .map((one) => `Transaction ${one.id} reverses ${amountText(one)} of transaction ${one.reverses?.id}.`)
            .join('\n'),
        };
      }, 'transaction reverse 3764875723649152 --reason "Test purchase of the shop"'),
    );

  addCommand(group, 'cancel')
    .description('Cancel a transaction whose token is not spent, with all transactions of its token.')
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .action(
      cli.door(async ({ deps, confirm }, id, { reason }) => {
        const question = (ids: readonly number[]) => confirm(`Cancel the token of transaction ${ids.join(', ')}?`);
        const cancelled = await cancelByOperator({ id, reason, confirm: question }, deps);
        return {
          json: { cancelled },
          text: `Cancelled transaction ${listed(cancelled.map(String))}. Held points are back with the member.`,
        };
      }, 'transaction cancel 3764875723649152 --reason "The member waits for the points"'),
    );

  addCommand(group, 'retry')
    .description(
      'Bring a transaction in ERROR or PENDING to its program again. The platform first asks the program whether it ' +
        'has the transaction.',
    )
    .argument(...transactionArgument)
    .requiredOption(...reasonOption)
    .action(
      cli.door(async ({ deps }, id, { reason }) => {
        const legs = await retryByOperator({ id, reason }, deps);
        return {
          json: { retried: legs.map((leg) => leg.id) },
          text: `Transaction ${listed(legs.map((leg) => String(leg.id)))} is on the way to its program again.`,
        };
      }, 'transaction retry 3764875723649152 --reason "The program answers again"'),
    );

  addReviewCommands(group, cli);
}

/** `30 points`, `$3.00 of cashback`; also names the points that the member still owes. */
function amountText({ points, cashbackCents, shortfallPoints = 0 }: RewardTransaction): string {
  const amount = cashbackCents > 0 ? `${dollars(cashbackCents)} of cashback` : `${count(points)} points`;
  return shortfallPoints > 0 ? `${amount} (${count(shortfallPoints)} of them are spent: the member owes them)` : amount;
}

type Group = ReturnType<Cli['add']>;

/** The options of every list. Each list offers only the options that suit its records. */
type ListOptions = input.Given<'member' | 'of' | 'merchant' | 'partnership' | 'state' | 'after'> &
  input.Given<'campaign' | 'limit', number> &
  input.Given<'since' | 'until', Date> &
  input.Given<'csv', true>;

const cost = ' Newest first. Reads the whole table, so it takes longer the more records there are.';

const listCommand = (group: Group, name: string, { what, states }: { what: string; states: readonly string[] }) =>
  addCommand(group, name)
    .description(`List ${what}, with filters.${cost}`)
    .option('--member <member>', 'only of this member: id or UUID; with --of the id that the organisation uses')
    .option(...input.ofOption)
    .option('--merchant <organisation>', 'only of this merchant, by id or exact name')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .option('--since <time>', 'only from this time on, such as 2026-11-20T09:00:00Z', input.instant)
    .option('--until <time>', 'only before this time', input.instant)
    .option('--after <uuid>', 'the next page: the UUID of the last line of the page before')
    .option('--limit <number>', `lines at most (default: ${defaultPageItems})`, input.positiveNumber)
    .option('--csv', 'print CSV (RFC 4180)');

function addTransactionList(group: Group, cli: Cli): void {
  listCommand(group, 'list', { what: 'reward transactions', states: transactionStates })
    .option('--partnership <partnership>', 'only of this partnership, by UUID or exact name')
    .option('--campaign <campaign>', 'only of the campaign with this id', input.wholeNumber)
    .action(
      cli.door(
        (operator, options: ListOptions) => list(operator, options, transactions),
        'transaction list --member cc-1001 --of "Corner Coffee"',
        'transaction list --state ERROR --since 2026-11-20T00:00:00Z --limit 1000 --csv',
      ),
    );
}

export function addTriggerEventList(group: Group, cli: Cli): void {
  listCommand(group, 'events', { what: 'the trigger events that callers sent', states: triggerEventStates })
    .option('--partnership <partnership>', 'only of this partnership, by UUID or exact name')
    .action(
      cli.door(
        (operator, options: ListOptions) => list(operator, options, triggerEvents),
        'trigger events --partnership "Corner Coffee × Skyline Miles" --state UNMATCHED',
      ),
    );
}

export function addOrderLists(group: Group, cli: Cli): void {
  addCommand(group, 'find')
    .description('Find a purchase by the merchant’s own order number: an external order, or a purchase with a token.')
    .argument('<number>', 'the merchant’s order number: order_external_id or external_transaction_id')
    .option('--of <merchant>', 'only at this merchant, by id or exact name (default: at every merchant)')
    .action(
      cli.door(
        async ({ deps }, externalOrderId, { of }) => {
          const found = await findOrders({ externalOrderId, merchant: of }, deps);
          const places = found.flatMap(({ transactions: those }) => those);
          return foundOrdersReport(externalOrderId, found, await loadTimeZone(places, deps));
        },
        'order find order-1001',
        'order find order-1001 --of "Corner Coffee" --json',
      ),
    );

  listCommand(group, 'list', { what: 'external orders', states: orderStates }).action(
    cli.door(
      (operator, options: ListOptions) => list(operator, options, orders),
      'order list --merchant "Corner Coffee" --state REJECTED',
    ),
  );
}

/** One kind of record: its partition, and the columns that show it. */
interface Kind<Listed extends ListedRecord> {
  readonly partition: 'transaction' | 'order' | 'triggerEvent';
  /** Parses a record. Returns undefined for the partition's items of other kinds. */
  readonly parse: (item: Item) => Listed | undefined;
  readonly list: RecordList<Listed>;
}

const transactions: Kind<RewardTransaction> = {
  partition: 'transaction',
  parse: (item) => (item.sk === 'TRANSACTION' ? RewardTransaction.parse(item) : undefined),
  list: transactionList,
};

const orders: Kind<ReturnType<typeof parseOrder>> = {
  partition: 'order',
  parse: (item) => (item.sk.startsWith('ORDER#') ? parseOrder(item) : undefined),
  list: orderList,
};

const ListedEvent = z.pick(TriggerEvent, {
  ...{ uuid: true, partnershipUuid: true, merchantId: true, triggerName: true, userId: true, externalUserId: true },
  ...{ state: true, receivedAt: true, transactionIds: true },
});

const triggerEvents: Kind<z.infer<typeof ListedEvent> & ListedRecord> = {
  partition: 'triggerEvent',
  parse: (item) => {
    const event = ListedEvent.parse(item);
    return { ...event, createdAt: event.receivedAt };
  },
  list: triggerEventList,
};

async function list<Listed extends ListedRecord & Place>(
  operator: Operator,
  options: ListOptions,
  { partition, parse, list: shown }: Kind<Listed>,
): Promise<Report> {
  const filter = await filterOf(operator, options);
  const { stage } = operator;
  const items = scan({ name: stage.tableName, documents: stage.documents }, [partition]);
  const page = await listRecords(parsed(items, parse), filter);
  return listReport(shown, page, options, operator);
}

async function* parsed<Listed>(items: AsyncIterable<Item>, parse: (item: Item) => Listed | undefined) {
  for await (const item of items) {
    const record = parse(item);
    if (record !== undefined) yield record;
  }
}

async function filterOf({ deps }: Operator, options: ListOptions): Promise<RecordFilter> {
  const { member, of, merchant, partnership, campaign, limit = defaultPageItems, csv: _, ...same } = options;
  return {
    ...same,
    limit,
    campaignId: campaign,
    userId: member === undefined ? undefined : (await findMember({ id: member, organisation: of }, deps)).user.id,
    merchantId: merchant === undefined ? undefined : (await findOrganisationOfKind(merchant, 'MERCHANT', deps)).id,
    partnershipUuid: partnership === undefined ? undefined : (await findPartnership(partnership, deps)).uuid,
  };
}
