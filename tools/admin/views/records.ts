import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { FoundOrder, ListedRecord, RecordPage } from '../../../shared/operations/ledger/list-records.ts';
import type { Report } from '../cli/cli.ts';
import { localMoment } from '../cli/moments.ts';
import { dollars, facts, paragraphs, section, type Cell as TextCell, table } from '../cli/text.ts';
import { effectText } from '../explain/refunds.ts';
import { transactionView } from './transaction.ts';

/** Lists of records: the same columns for JSON and CSV, and a table for people. */

type Cell = string | number | null;

/** One kind of record: its columns for scripts, and the table for people. */
export interface ListView<Listed> {
  /** The name of the list in JSON. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly row: (record: Listed) => readonly Cell[];
  /** The sentence that people read when the list is empty. */
  readonly none: string;
  /** The names of the columns that people read. */
  readonly heads: readonly string[];
  readonly cells: (record: Listed, context: ListContext) => readonly TextCell[];
}

/** The names of organisations, and the time zone of the list. */
export interface ListContext {
  readonly nameOf: (organisationId: number) => string;
  readonly timeZone: string;
}

export const transactionColumns: ListView<RewardTransaction> = {
  name: 'transactions',
  none: 'No reward transaction matches.',
  columns: [
    ...['uuid', 'id', 'created_at', 'type', 'state', 'points', 'cashback_cents', 'amount_cents'],
    ...['user_id', 'merchant_id', 'partner_id', 'campaign_id', 'order', 'reverses'],
  ],
  row: (one) => [
    ...[one.uuid, one.id, one.createdAt, one.type, one.state, one.points, one.cashbackCents, one.amountCents],
    ...[one.userId, one.merchantId, one.partnerId, one.campaignId, one.externalTransactionId, one.reverses?.id ?? null],
  ],
  heads: ['transaction', 'created', 'state', 'effect', 'member', 'merchant', 'program', 'campaign', 'order'],
  cells: (one, { nameOf, timeZone }) => [
    ...[String(one.id), localMoment(one.createdAt, timeZone), one.state, effectText(one), String(one.userId)],
    ...[nameOf(one.merchantId), nameOf(one.partnerId), String(one.campaignId), one.externalTransactionId],
  ],
};

export const orderColumns: ListView<Order> = {
  name: 'orders',
  none: 'No order matches.',
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
  heads: ['order', 'received', 'state', 'total', 'refunded', 'member', 'merchant', 'transactions'],
  cells: (one, { nameOf, timeZone }) => [
    ...[one.externalOrderId, localMoment(one.createdAt, timeZone), one.state, dollars(one.totalCents)],
    one.refundedCents === 0 ? null : dollars(one.refundedCents),
    ...[String(one.userId), nameOf(one.merchantId), one.transactionIds.join(' ')],
  ],
};

/** The fields of a trigger event that the list of trigger events shows. */
interface ShownEvent extends ListedRecord {
  readonly triggerName: string;
  readonly externalUserId: string | null;
  readonly transactionIds: readonly number[];
}

export const triggerEventColumns: ListView<ShownEvent> = {
  name: 'events',
  none: 'No trigger event matches.',
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
  heads: ['event', 'received', 'trigger', 'state', 'member', 'sent for', 'merchant', 'transactions'],
  cells: (one, { nameOf, timeZone }) => [
    ...[one.uuid, localMoment(one.createdAt, timeZone), one.triggerName, one.state],
    ...[one.userId === null ? null : String(one.userId), one.externalUserId, nameOf(one.merchantId)],
    one.transactionIds.join(' '),
  ],
};

/** The records as a table for people. */
export function listText<Listed extends ListedRecord>(
  { heads, cells, none }: ListView<Listed>,
  { records, hasMore }: RecordPage<Listed>,
  context: ListContext,
): string {
  const last = records.at(-1);
  if (!last) return none;
  const rows = table(
    heads,
    records.map((one) => cells(one, context)),
  );
  return hasMore ? paragraphs(rows, `There are more: --after ${last.uuid} shows the next ones.`) : rows;
}

/**
 * Everything that has one order number, merchant by merchant. The report's `isBad` is true when nothing has the number.
 */
export function foundOrdersReport(number: string, found: readonly FoundOrder[], timeZone: string): Report {
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
        : paragraphs(...found.map((one) => section(`${number} of ${one.merchant.name}`, foundText(one, timeZone)))),
    isBad: found.length === 0,
  };
}

/** A record as JSON: the keys are the names of the columns, the values are the cells. */
export const recordOf = <Listed>({ columns, row }: ListView<Listed>, record: Listed) =>
  Object.fromEntries(row(record).map((cell, index) => [columns[index], cell]));

function foundText({ order, transactions }: FoundOrder, timeZone: string): string {
  const rows = transactions.map((one) => [
    ...[String(one.id), localMoment(one.createdAt, timeZone), one.state, effectText(one)],
  ]);
  return paragraphs(
    order
      ? facts({ order: order.uuid, state: order.state, total: dollars(order.totalCents), member: String(order.userId) })
      : 'A purchase with a token; no external order has this number.',
    rows.length > 0 ? table(['transaction', 'created', 'state', 'effect'], rows) : 'It led to no reward transaction.',
  );
}
