import {
  type Payment,
  type PaymentAccount,
  paymentReasons,
  paymentStatus,
} from '../../../shared/domain/payment/payment.ts';
import type { ExplainedPayment } from '../../../shared/operations/payment/find-payment.ts';
import type { listReceipts } from '../../../shared/operations/payment/list-receipts.ts';
import { localMoment } from '../cli/moments.ts';
import { facts, paragraphs, section, table } from '../cli/text.ts';
import { timeColumn, viewOf } from '../cli/view.ts';
import { paymentLines } from '../explain/payment.ts';
import { rewardsTable, transactionView } from './transaction.ts';

/** Payments, payment accounts and receipts of events: `…View` for scripts, `…Report` for scripts and people. */

/** The merchant and the time zone of payment accounts, for people. */
interface AccountNames {
  readonly merchant?: string;
  readonly timeZone: string;
}

/** A payment account, without its signing key. */
export const paymentAccountView = viewOf<PaymentAccount, AccountNames>()(
  {
    platform: { head: 'platform' },
    account: { head: 'account' },
    merchantId: { head: 'merchant', cell: (_, { merchant = null }) => merchant },
    capture: { head: 'captures by itself', as: (capture) => capture === 'automatic' },
    isSigned: {
      head: 'signing key',
      json: ({ signingKey }) => signingKey !== undefined,
      cell: ({ signingKey }) => (signingKey === undefined ? null : 'stored'),
    },
    notificationUrl: { head: 'notification URL' },
    connectedAt: timeColumn('connected', ({ connectedAt }) => connectedAt),
  },
  ['platform', 'account', 'connectedAt'],
);

type Listed = Awaited<ReturnType<typeof listReceipts>>;

/**
 * Lists payment events with their outcomes, each with the status that its payment has now.
 *
 * @param outcome the outcome that every listed event has, if only events with this outcome were looked for
 */
export function receiptsReport(found: Listed, outcome?: string) {
  const { owner, accounts, listed, timeZone } = found;
  return {
    json: {
      merchant: owner ?? null,
      accounts: accounts.map(paymentAccountView),
      events: listed.map(({ receipt, payment }) => {
        return { ...receipt, payment: payment ? paymentSummary(payment) : null };
      }),
    },
    text: paragraphs(
      ...(owner
        ? [section(`Payment accounts of ${owner.name}`, paymentAccountView.table(accounts, { timeZone }))]
        : []),
      listed.length === 0 ? noEvent(found, outcome) : receiptsTable(found),
    ),
  };
}

function noEvent({ owner, day, timeZone }: Listed, outcome: string | undefined): string {
  const event = `payment event${outcome === undefined ? '' : ` with the outcome ${outcome}`}`;
  return `No ${event} came${owner ? ` for ${owner.name}` : ''} on ${day} (${timeZone}).`;
}

function receiptsTable({ owner, listed, nameOf, timeZone }: Listed): string {
  return table(
    [
      ...['received', ...(owner ? [] : ['merchant']), 'platform', 'account', 'event', 'payment'],
      ...['outcome', 'status', 'why'],
    ],
    listed.map(({ receipt, payment }) => [
      localMoment(receipt.receivedAt, timeZone),
      ...(owner ? [] : [receipt.merchantId && nameOf(receipt.merchantId)]),
      ...[receipt.platform, receipt.account, receipt.kind ?? receipt.type, receipt.paymentId ?? null],
      ...[receipt.outcome, payment ? paymentStatus(payment) : null],
      receipt.reason ?? (payment?.reason ? paymentReasons[payment.reason] : null),
    ]),
  );
}

const paymentSummary = viewOf<Payment>()({
  uuid: {},
  platform: {},
  account: {},
  paymentId: {},
  merchantId: {},
  userId: {},
  status: { json: paymentStatus },
  reason: {},
  why: { json: ({ reason }) => (reason === undefined ? null : paymentReasons[reason]) },
  transactionIds: {},
});

/** A payment with its amounts, and the reasons for its rewards. */
export function paymentReport({ payment, position, transactions }: ExplainedPayment, timeZone: string) {
  const explanation = paymentLines(payment, position, timeZone);
  const amounts = { ...position, awards: payment.awards, netCents: payment.netCents };
  return {
    json: {
      payment: { ...paymentSummary(payment), ...amounts, book: payment.book },
      explanation,
      transactions: transactions.map(transactionView),
    },
    text: paragraphs(
      facts({
        payment: payment.paymentId,
        uuid: payment.uuid,
        account: `${payment.platform} ${payment.account}`,
        member: payment.userId ?? null,
        order: payment.book.orderExternalIds[0] ?? null,
        'first event': localMoment(payment.createdAt, timeZone),
      }),
      section('Why', explanation.join('\n')),
      section('Rewards', rewardsTable(transactions)),
    ),
  };
}
