import * as z from 'zod/mini';
import { paymentSources } from '../contracts/events.ts';
import { maximumCharacters } from '../contracts/limits.ts';
import { type Money, moneyOf } from '../domain/payment/money.ts';
import { PlatformId } from '../domain/payment/payment-event.ts';
import {
  type Envelope,
  emailHashOf,
  MalformedPaymentError,
  type Message,
  type PaymentPlatform,
  parsePart,
  type ReadingContext,
  type Statement,
  Time,
} from './platform.ts';

/**
 * The source for every platform without an adapter of its own: a merchant's own system puts events on the bus, in the
 * form that docs/architecture/payments.md documents. Amounts are minor units by ISO 4217.
 */
export const canonical: PaymentPlatform = {
  name: 'canonical',
  source: paymentSources.canonical,
  accountOf: ({ detail }) => String(parsePart(Merchant, detail, 'detail').merchant_id),
  read,
};

const MerchantId = z.union([z.string(), z.int()]);
const Merchant = z.object({ merchant_id: MerchantId });

const Amount = z.int().check(z.gte(0));
const Text = z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

const common = {
  merchant_id: MerchantId,
  event_id: PlatformId,
  occurred_at: Time,
  payment_id: PlatformId,
  livemode: z.optional(z.boolean()),
  order_id: z.optional(Text),
  customer: z.optional(
    z.strictObject({ id: z.optional(Text), external_id: z.optional(Text), email: z.optional(Text) }),
  ),
};
const money = { amount: Amount, currency: Text };

// An unknown field is refused: a misspelt field name would change an amount without notice.
const Completed = z.strictObject({
  ...common,
  ...money,
  eligible_amount: z.optional(Amount),
  capture_id: z.optional(PlatformId),
  refunded_total: z.optional(Amount),
});
const Updated = z.strictObject(common);
const Failed = z.strictObject({ ...common, capture_id: PlatformId });
const Ordered = z.strictObject({
  ...common,
  currency: Text,
  total_amount: Amount,
  subtotal_amount: Amount,
  discount_amount: z.optional(Amount),
  tax_amount: z.optional(Amount),
  tip_amount: z.optional(Amount),
  shipping_amount: z.optional(Amount),
});
const Refunded = z.strictObject({
  ...common,
  refund_id: z.optional(PlatformId),
  amount: z.optional(Amount),
  currency: Text,
  refunded_total: z.optional(Amount),
  version: z.optional(Amount),
});
const Disputed = z.strictObject({
  ...common,
  ...money,
  dispute_id: PlatformId,
  inquiry: z.optional(z.boolean()),
  version: z.optional(Amount),
});

type Reader = (detail: unknown, context: ReadingContext) => Statement;

/** The kinds of events, which are the values of `detail-type`. */
const readers: Readonly<Record<string, Reader>> = {
  'payment.completed': readCompleted,
  'payment.updated': (detail, context) => {
    return { ...commonOf(parsePart(Updated, detail, 'detail'), context), kind: 'payment.updated' };
  },
  'payment.failed': (detail, context) => {
    const body = parsePart(Failed, detail, 'detail');
    return { ...commonOf(body, context), kind: 'payment.failed', capture: { id: body.capture_id } };
  },
  'order.completed': readOrder,
  'refund.pending': refundReader('refund.pending'),
  'refund.completed': refundReader('refund.completed'),
  'refund.failed': refundReader('refund.failed'),
  'dispute.opened': disputeReader('dispute.opened'),
  'dispute.funds_withdrawn': disputeReader('dispute.funds_withdrawn'),
  'dispute.reinstated': disputeReader('dispute.reinstated'),
  'dispute.won': disputeReader('dispute.won'),
  'dispute.lost': disputeReader('dispute.lost'),
};

const Heading = z.object({ event_id: common.event_id, livemode: common.livemode });

function read({ 'detail-type': kind, detail }: Envelope, context: ReadingContext): Message | string {
  const reader = new Map(Object.entries(readers)).get(kind);
  if (!reader) return `${kind} is no kind of payment event.`;
  const statement = reader(detail, context);
  const { event_id: eventId, livemode } = parsePart(Heading, detail, 'detail');
  return { eventId, livemode, statements: [statement] };
}

function commonOf({ payment_id, order_id, customer, occurred_at }: z.infer<typeof Updated>, context: ReadingContext) {
  return {
    paymentId: payment_id,
    orderExternalId: order_id,
    customer: {
      platformCustomerId: customer?.id,
      merchantExternalId: customer?.external_id,
      emailHash: emailHashOf(customer?.email, context),
    },
    occurredAt: occurred_at,
  };
}

/**
 * A capture with an id is one part of the payment; a capture without an id is the total that was captured until now.
 */
function readCompleted(detail: unknown, context: ReadingContext): Statement {
  const body = parsePart(Completed, detail, 'detail');
  const { payment_id, amount, currency, eligible_amount: eligible, capture_id, refunded_total } = body;
  return {
    ...commonOf(body, context),
    kind: 'payment.completed',
    capture: {
      id: capture_id ?? payment_id,
      extent: capture_id === undefined ? 'total' : 'part',
      money: moneyOf(amount, currency),
      eligible: eligible ?? amount,
      basis: eligible === undefined ? 'total' : 'subtotal',
    },
    refundedTotal: totalOf(refunded_total, currency),
  };
}

const totalOf = (total: number | undefined, currency: string): Money | undefined =>
  total === undefined ? undefined : moneyOf(total, currency);

function readOrder(detail: unknown, context: ReadingContext): Statement {
  const body = parsePart(Ordered, detail, 'detail');
  const { currency, total_amount, subtotal_amount: subtotal, discount_amount: discount = 0 } = body;
  if (discount > subtotal) throw new MalformedPaymentError('detail/discount_amount is more than subtotal_amount.');
  return {
    ...commonOf(body, context),
    kind: 'order.completed',
    order: {
      total: moneyOf(total_amount, currency),
      // The eligible amount is at most the order's total. A gift card reduces the total, but not the subtotal.
      eligible: Math.min(subtotal - discount, total_amount),
      subtotal,
      discount,
      tax: body.tax_amount,
      tip: body.tip_amount,
      shipping: body.shipping_amount,
    },
  };
}

function refundReader(kind: 'refund.pending' | 'refund.completed' | 'refund.failed'): Reader {
  return (detail, context) => {
    const body = parsePart(Refunded, detail, 'detail');
    const { refund_id: id, amount, currency, refunded_total, version } = body;
    if ((id === undefined) !== (amount === undefined) || (id ?? refunded_total) === undefined) {
      throw new MalformedPaymentError('detail needs refund_id and amount, or refunded_total.');
    }
    return {
      ...commonOf(body, context),
      kind,
      ...(id !== undefined && amount !== undefined && { refund: { id, money: moneyOf(amount, currency), version } }),
      refundedTotal: totalOf(refunded_total, currency),
    };
  };
}

type DisputeKind = Extract<Statement, { dispute: unknown }>['kind'];

function disputeReader(kind: DisputeKind): Reader {
  return (detail, context) => {
    const body = parsePart(Disputed, detail, 'detail');
    const { dispute_id: id, amount, currency, inquiry: isInquiry, version } = body;
    return { ...commonOf(body, context), kind, dispute: { id, money: moneyOf(amount, currency), isInquiry, version } };
  };
}
