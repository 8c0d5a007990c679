import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { FoundOrder, ListedRecord } from '../../../shared/operations/list-records.ts';
import type { Report } from '../cli/cli.ts';
import { count, dollars, facts, moment, paragraphs, section, table } from '../cli/text.ts';
import { transactionView } from './transaction.ts';

/** Lists of records: the same columns for JSON, CSV and people. */

type Cell = string | number | null;

/** The columns of one kind of record. */
export interface ListView<Listed> {
  /** The name of the list in JSON. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly row: (record: Listed) => readonly Cell[];
}

export const transactionColumns: ListView<RewardTransaction> = {
  name: 'transactions',
  columns: [
    ...['uuid', 'id', 'created_at', 'type', 'state', 'points', 'cashback_cents', 'amount_cents'],
    ...['user_id', 'merchant_id', 'partner_id', 'campaign_id', 'order', 'reverses'],
  ],
  row: (one) => [
    ...[one.uuid, one.id, one.createdAt, one.type, one.state, one.points, one.cashbackCents, one.amountCents],
    ...[one.userId, one.merchantId, one.partnerId, one.campaignId, one.externalTransactionId, one.reverses?.id ?? null],
  ],
};

export const orderColumns: ListView<Order> = {
  name: 'orders',
  columns: [
    'uuid',
    'created_at',
    'order',
    'state',
    'total_cents',
    'refunded_cents',
    'user_id',
    'merchant_id',
    'transactions',
  ],
  row: (one) => [
    ...[one.uuid, one.createdAt, one.externalOrderId, one.state, one.totalCents, one.refundedCents],
    ...[one.userId, one.merchantId, one.transactionIds.join(' ')],
  ],
};

/** The fields of a trigger event that its list shows. */
interface ShownEvent extends ListedRecord {
  readonly triggerName: string;
  readonly externalUserId: string | null;
  readonly transactionIds: readonly number[];
}

export const triggerEventColumns: ListView<ShownEvent> = {
  name: 'events',
  columns: [
    'uuid',
    'received_at',
    'trigger',
    'state',
    'user_id',
    'external_user_id',
    'merchant_id',
    'partnership',
    'transactions',
  ],
  row: (one) => [
    ...[one.uuid, one.createdAt, one.triggerName, one.state, one.userId, one.externalUserId, one.merchantId],
    ...[one.partnershipUuid ?? null, one.transactionIds.join(' ')],
  ],
};

export function listText<Listed extends ListedRecord>(
  { columns, row, name }: ListView<Listed>,
  records: readonly Listed[],
  hasMore: boolean,
): string {
  const last = records.at(-1);
  if (!last) return `No ${name} fit.`;
  const rows = table(
    columns,
    records.map((one) => row(one).map((cell) => (typeof cell === 'number' ? String(cell) : cell))),
  );
  return hasMore ? paragraphs(rows, `There are more: --after ${last.uuid} shows the next ones.`) : rows;
}

/** What one order number leads to, merchant by merchant. It is bad when nothing has the number. */
export function foundOrdersReport(number: string, found: readonly FoundOrder[]): Report {
  return {
    json: {
      orders: found.map(({ merchant, order, transactions }) => ({
        merchant: { id: merchant.id, name: merchant.name },
        order: order ? recordOf(orderColumns, order) : null,
        transactions: transactions.map(transactionView),
      })),
    },
    text:
      found.length === 0
        ? `No merchant sent the number ${number}, and no purchase with a token has it.`
        : paragraphs(...found.map((one) => section(`${number} of ${one.merchant.name}`, foundText(one)))),
    isBad: found.length === 0,
  };
}

/** A record as JSON: the cells by the names of their columns. */
export const recordOf = <Listed>({ columns, row }: ListView<Listed>, record: Listed) =>
  Object.fromEntries(row(record).map((cell, index) => [columns[index], cell]));

function foundText({ order, transactions }: FoundOrder): string {
  const rows = transactions.map((one) => [
    ...[String(one.id), moment(one.createdAt), one.type, one.state, count(one.points), dollars(one.cashbackCents)],
  ]);
  return paragraphs(
    order
      ? facts({ order: order.uuid, state: order.state, total: dollars(order.totalCents), member: String(order.userId) })
      : 'A purchase with a token; no external order has this number.',
    rows.length > 0
      ? table(['transaction', 'created', 'type', 'state', 'points', 'cashback'], rows)
      : 'It led to no reward transaction.',
  );
}
