import * as z from 'zod/mini';
import { paymentSources } from '../contracts/events.ts';
import { moneyOf } from '../domain/payment/money.ts';
import {
  type Envelope,
  emailHashOf,
  isSignedWith,
  MalformedPaymentError,
  type Message,
  parsePart,
  type ReadingContext,
  referenceOf,
  type Statement,
  Time,
  type WebhookPlatform,
} from './platform.ts';

/** Square sends HTTPS webhooks. The ingress checks their signature and puts `{ account, body }` on the bus. */
export const square: WebhookPlatform = {
  name: 'square',
  source: paymentSources.square,
  accountOf: ({ detail }) => {
    const { account, body } = parsePart(Received, detail, 'detail');
    // The key of `account` signed the webhook. So the body must name this account: no account may report for another.
    if (body.merchant_id === account) return account;
    throw new MalformedPaymentError(`The account ${account} sent an event of the merchant ${body.merchant_id}.`);
  },
  read,
  isSigned: ({ headers, body: rawBody, url: notificationUrl }, key) => {
    const signature = headers['x-square-hmacsha256-signature'] ?? '';
    return isSignedBySquare({ notificationUrl, rawBody, signature }, key);
  },
};

/**
 * Whether Square signed a webhook.
 *
 * @param notificationUrl as it is registered at Square, which signs the URL together with the body
 * @param signature the header `x-square-hmacsha256-signature`
 */
export function isSignedBySquare(
  { notificationUrl, rawBody, signature }: Record<'notificationUrl' | 'rawBody' | 'signature', string>,
  signatureKey: string,
): boolean {
  return isSignedWith(signatureKey, notificationUrl + rawBody, signature);
}

const Body = z.object({
  merchant_id: z.string(),
  type: z.string(),
  event_id: z.string(),
  created_at: Time,
  data: z.object({ object: z.nullish(z.record(z.string(), z.unknown())) }),
});
const Received = z.object({ account: z.string(), body: Body });

type Reader = (object: unknown, context: ReadingContext, occurredAt: string) => Statement | string;

/** For each event type that counts: the object that its events contain, and the function that reads the object. */
const readers: Readonly<Record<string, { readonly object: string; readonly read: Reader }>> = {
  'payment.created': { object: 'payment', read: readPayment },
  'payment.updated': { object: 'payment', read: readPayment },
  'refund.created': { object: 'refund', read: readRefund },
  'refund.updated': { object: 'refund', read: readRefund },
  'dispute.created': { object: 'dispute', read: readDispute },
  'dispute.state.updated': { object: 'dispute', read: readDispute },
  'dispute.state.changed': { object: 'dispute', read: readDispute },
};

/** Square's events do not name a mode: the sandbox has separate accounts. */
function read({ detail }: Envelope, context: ReadingContext): Message | string {
  const { type, event_id: eventId, created_at, data } = parsePart(Received, detail, 'detail').body;
  if (type.startsWith('order.')) return 'The event names an order without its amounts: its payment counts.';
  const reader = new Map(Object.entries(readers)).get(type);
  if (!reader) return `Events of the type ${type} do not count.`;
  const statement = reader.read(data.object?.[reader.object], context, created_at);
  return typeof statement === 'string' ? statement : { eventId, livemode: undefined, statements: [statement] };
}

const SquareMoney = z.object({ amount: z.int(), currency: z.string() });
const toMoney = ({ amount, currency }: z.infer<typeof SquareMoney>) => moneyOf(amount, currency);

const Payment = z.object({
  id: z.string(),
  status: z.string(),
  amount_money: SquareMoney,
  total_money: SquareMoney,
  refunded_money: z.nullish(SquareMoney),
  customer_id: z.nullish(z.string()),
  buyer_email_address: z.nullish(z.string()),
  order_id: z.nullish(z.string()),
  reference_id: z.nullish(z.string()),
  created_at: Time,
});

/** `amount_money` excludes the tip and includes taxes; only the order at Square names the taxes. */
function readPayment(object: unknown, context: ReadingContext): Statement | string {
  const payment = parsePart(Payment, object, 'payment');
  if (payment.status !== 'COMPLETED') return `The payment is ${payment.status}, not COMPLETED.`;
  const total = toMoney(payment.total_money);
  const hasTip = total.amount > payment.amount_money.amount;
  return {
    kind: 'payment.completed',
    paymentId: payment.id,
    customer: {
      platformCustomerId: referenceOf(payment.customer_id),
      emailHash: emailHashOf(payment.buyer_email_address, context),
    },
    orderExternalId: referenceOf(payment.reference_id ?? payment.order_id),
    capture: {
      id: payment.id,
      extent: 'total',
      money: total,
      eligible: Math.min(total.amount, payment.amount_money.amount),
      basis: hasTip ? 'partial' : 'total',
    },
    refundedTotal: payment.refunded_money ? toMoney(payment.refunded_money) : undefined,
    // This time is the same in every event of the payment.
    occurredAt: payment.created_at,
  };
}

const Refund = z.object({
  id: z.string(),
  payment_id: z.nullish(z.string()),
  amount_money: SquareMoney,
  status: z.string(),
  version: z.nullish(z.int()),
});

const refundKinds = new Map([
  ['PENDING', 'refund.pending' as const],
  ['COMPLETED', 'refund.completed' as const],
  ['REJECTED', 'refund.failed' as const],
  ['FAILED', 'refund.failed' as const],
]);

function readRefund(object: unknown, _context: ReadingContext, occurredAt: string): Statement | string {
  const { id, payment_id: paymentId, amount_money, status, version } = parsePart(Refund, object, 'refund');
  if (!paymentId) return 'The refund is linked to no payment.';
  const kind = refundKinds.get(status);
  if (!kind) return `The refund has the status ${status}, which is not known.`;
  return { kind, paymentId, refund: { id, money: toMoney(amount_money), version: version ?? 0 }, occurredAt };
}

const Dispute = z.object({
  id: z.nullish(z.string()),
  dispute_id: z.nullish(z.string()),
  disputed_payment: z.nullish(z.object({ payment_id: z.nullish(z.string()) })),
  amount_money: SquareMoney,
  state: z.string(),
  version: z.nullish(z.int()),
});

/** Square withholds the money as soon as a dispute is more than an inquiry. */
const disputeKinds = new Map([
  ['INQUIRY_EVIDENCE_REQUIRED', 'dispute.opened' as const],
  ['INQUIRY_PROCESSING', 'dispute.opened' as const],
  ['INQUIRY_CLOSED', 'dispute.opened' as const],
  ['EVIDENCE_REQUIRED', 'dispute.funds_withdrawn' as const],
  ['PROCESSING', 'dispute.funds_withdrawn' as const],
  ['WON', 'dispute.won' as const],
  ['LOST', 'dispute.lost' as const],
  ['ACCEPTED', 'dispute.lost' as const],
]);

function readDispute(object: unknown, _context: ReadingContext, occurredAt: string): Statement | string {
  const { id, dispute_id, disputed_payment, amount_money, state, version } = parsePart(Dispute, object, 'dispute');
  const paymentId = disputed_payment?.payment_id;
  if (!paymentId) return 'The dispute names no payment.';
  const kind = disputeKinds.get(state);
  if (!kind) return `The dispute has the state ${state}, which is not known.`;
  const dispute = {
    id: id ?? dispute_id ?? paymentId,
    money: toMoney(amount_money),
    isInquiry: state.startsWith('INQUIRY_'),
    version: version ?? 0,
  };
  return { kind, paymentId, dispute, occurredAt };
}
