import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { FoundOrder, ListedRecord } from '../../../shared/operations/ledger/list-records.ts';
import type { Report } from '../cli/cli.ts';
import { localMoment } from '../cli/moments.ts';
import { dollars, facts, paragraphs, section, table } from '../cli/text.ts';
import { timeColumn, type View, viewOf } from '../cli/view.ts';
import { effectText } from '../explain/refunds.ts';
import { transactionView } from './transaction.ts';

/** Lists of records: JSON and CSV have the same values, people read names and local times. */

/** One kind of record, and its list. */
export interface RecordList<Listed> {
  /** The name of the list in JSON. */
  readonly name: string;
  /** The sentence that people read when the list is empty. */
  readonly none: string;
  readonly view: View<Listed, ListContext>;
}

/** The names of organisations, and the time zone of the list. */
export interface ListContext {
  readonly nameOf: (organisationId: number) => string;
  readonly timeZone: string;
}

/** The merchant and the program of a record. */
export const placeColumns = {
  merchant_id: {
    head: 'merchant',
    json: ({ merchantId }: { readonly merchantId: number }) => merchantId,
    cell: ({ merchantId }: { readonly merchantId: number }, { nameOf }: ListContext) => nameOf(merchantId),
  },
  partner_id: {
    head: 'program',
    json: ({ partnerId }: { readonly partnerId: number }) => partnerId,
    cell: ({ partnerId }: { readonly partnerId: number }, { nameOf }: ListContext) => nameOf(partnerId),
  },
};

export const transactionList: RecordList<RewardTransaction> = {
  name: 'transactions',
  none: 'No reward transaction matches.',
  view: viewOf<RewardTransaction, ListContext>()({
    uuid: {},
    id: { head: 'transaction' },
    created_at: timeColumn('created', ({ createdAt }) => createdAt),
    type: {},
    state: { head: 'state' },
    effect: { head: 'effect', json: null, cell: effectText },
    points: {},
    cashback_cents: { json: ({ cashbackCents }) => cashbackCents },
    amount_cents: { json: ({ amountCents }) => amountCents },
    user_id: { head: 'member', json: ({ userId }) => userId },
    ...placeColumns,
    campaign_id: { head: 'campaign', json: ({ campaignId }) => campaignId },
    order: { head: 'order', json: ({ externalTransactionId }) => externalTransactionId },
    reverses: { json: ({ reverses }) => reverses?.id ?? null },
  }),
};

export const orderList: RecordList<Order> = {
  name: 'orders',
  none: 'No order matches.',
  view: viewOf<Order, ListContext>()(
    {
      uuid: {},
      created_at: timeColumn('received', ({ createdAt }) => createdAt),
      order: { head: 'order', json: ({ externalOrderId }) => externalOrderId },
      state: { head: 'state' },
      total_cents: {
        head: 'total',
        json: ({ totalCents }) => totalCents,
        cell: ({ totalCents }) => dollars(totalCents),
      },
      refunded_cents: {
        head: 'refunded',
        json: ({ refundedCents }) => refundedCents,
        cell: ({ refundedCents: cents }) => (cents === 0 ? null : dollars(cents)),
      },
      user_id: { head: 'member', json: ({ userId }) => userId },
      merchant_id: placeColumns.merchant_id,
      transactions: { head: 'transactions', json: ({ transactionIds }) => transactionIds.join(' ') },
    },
    ['order', 'created_at', 'state', 'total_cents', 'refunded_cents', 'user_id', 'merchant_id', 'transactions'],
  ),
};

/** The fields of a trigger event that the list of trigger events shows. */
interface ShownEvent extends ListedRecord {
  readonly triggerName: string;
  readonly externalUserId: string | null;
  readonly transactionIds: readonly number[];
}

export const triggerEventList: RecordList<ShownEvent> = {
  name: 'events',
  none: 'No trigger event matches.',
  view: viewOf<ShownEvent, ListContext>()({
    uuid: { head: 'event' },
    received_at: timeColumn('received', ({ createdAt }) => createdAt),
    trigger: { head: 'trigger', json: ({ triggerName }) => triggerName },
    state: { head: 'state' },
    user_id: { head: 'member', json: ({ userId }) => userId },
    external_user_id: { head: 'sent for', json: ({ externalUserId }) => externalUserId },
    merchant_id: placeColumns.merchant_id,
    partnership: { json: ({ partnershipUuid }) => partnershipUuid ?? null },
    transactions: { head: 'transactions', json: ({ transactionIds }) => transactionIds.join(' ') },
  }),
};

/**
 * Everything that has one order number, merchant by merchant. The report's `isBad` is true when nothing has the number.
 */
export function foundOrdersReport(number: string, found: readonly FoundOrder[], timeZone: string): Report {
  return {
    json: {
      orders: found.map(({ merchant, order, transactions }) => ({
        merchant: { id: merchant.id, name: merchant.name },
        order: order ? orderList.view(order) : null,
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
