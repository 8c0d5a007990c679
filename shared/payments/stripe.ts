import * as z from 'zod/mini';
import { type Money, moneyOf, shareOf } from '../domain/payment/money.ts';
import {
  type Envelope,
  emailHashOf,
  MalformedPaymentError,
  type Message,
  type PaymentPlatform,
  parsePart,
  type ReadingContext,
  referenceOf,
  type Statement,
} from './platform.ts';

/** Stripe through its partner event source: `detail` is a Stripe event, `data.object` the object that changed. */
export const stripe: PaymentPlatform = {
  name: 'stripe',
  source: 'aws.partner/stripe.com/',
  accountOf: ({ source, detail }) =>
    parsePart(Connected, detail, 'detail').account ?? source.slice(stripe.source.length),
  read,
};

/**
 * Events of a connected account contain its id. For all other events the account is the event destination, whose id is
 * at the end of the source.
 */
const Connected = z.object({ account: z.nullish(z.string()) });

const endOfYear9999 = 253_402_300_799;

const StripeEvent = z.object({
  id: z.string(),
  type: z.string(),
  /** Seconds since 1970. */
  created: z.int().check(z.gte(0), z.lte(endOfYear9999)),
  livemode: z.boolean(),
  data: z.object({ object: z.looseObject({ livemode: z.nullish(z.boolean()) }) }),
});

interface Source {
  readonly type: string;
  readonly object: unknown;
  readonly occurredAt: string;
  readonly context: ReadingContext;
}
type Reader = (source: Source) => Statement[] | string;

/** The event types that count, and why some of the others do not. */
const readers: Readonly<Record<string, Reader | string>> = {
  'payment_intent.succeeded': readIntent,
  'charge.succeeded': readCharge,
  'charge.captured': readCharge,
  'charge.updated': readCharge,
  'charge.refunded': readRefundedCharge,
  'refund.created': readRefund,
  'refund.updated': readRefund,
  'refund.failed': readRefund,
  'charge.refund.updated': readRefund,
  'charge.dispute.created': readDispute,
  'charge.dispute.updated': readDispute,
  'charge.dispute.closed': readDispute,
  'charge.dispute.funds_withdrawn': readDispute,
  'charge.dispute.funds_reinstated': readDispute,
  'checkout.session.completed': readSession,
  'checkout.session.async_payment_succeeded': readSession,
  'invoice.paid': readInvoice,
  'credit_note.created': 'A credit note moves no money: the refund that pays it counts.',
  'payment_intent.amount_capturable_updated': 'The payment is authorized: its capture counts.',
  'payment_intent.payment_failed': 'The payment failed: no money was taken.',
  'payment_intent.canceled': 'The payment was canceled: no money was taken.',
  'charge.failed': 'The charge failed: no money was taken.',
};

function read(envelope: Envelope, context: ReadingContext): Message | string {
  const { object } = parsePart(z.object({ object: z.nullish(z.string()) }), envelope.detail, 'detail');
  if (object?.startsWith('v2.')) return 'A v2 notification names an object without its content.';

  const { id, type, created, livemode, data } = parsePart(StripeEvent, envelope.detail, 'detail');
  if (type !== envelope['detail-type']) {
    throw new MalformedPaymentError(`detail-type is ${envelope['detail-type']}, but detail/type is ${type}.`);
  }
  const reader = new Map(Object.entries(readers)).get(type) ?? `Events of the type ${type} do not count.`;
  if (typeof reader === 'string') return reader;

  const occurredAt = new Date(created * 1_000).toISOString();
  const statements = reader({ type, object: data.object, occurredAt, context });
  if (typeof statements === 'string') return statements;
  // An event is live only if its object is live too: in a replayed event the two values of `livemode` can differ.
  return { eventId: id, livemode: livemode && data.object.livemode !== false, statements };
}

/** Stripe counts these currencies in another unit than ISO 4217 does. */
const money = (amount: number, currency: string) => moneyOf(amount, currency, { ISK: 2, MGA: 0, UGX: 2 });

/** The id of another object, or that object itself. */
const Link = z.nullish(z.union([z.string(), z.object({ id: z.string() })]));
const idOf = (link: z.infer<typeof Link>) => (typeof link === 'string' ? link : (link?.id ?? undefined));

const Customer = {
  customer: Link,
  metadata: z.nullish(z.record(z.string(), z.string())),
};

/** The references to the customer and to the order. Merchants set some of them as metadata. */
function referencesOf(
  { customer, metadata }: { customer?: z.infer<typeof Link>; metadata?: Record<string, string> | null | undefined },
  email: string | null | undefined,
  context: ReadingContext,
): Pick<Statement, 'customer' | 'orderExternalId'> {
  return {
    customer: {
      platformCustomerId: referenceOf(idOf(customer)),
      merchantExternalId: referenceOf(metadata?.merchant_external_id),
      emailHash: emailHashOf(email, context),
    },
    orderExternalId: referenceOf(metadata?.external_order_id ?? metadata?.order_id),
  };
}

/**
 * The id of a payment and its aliases. The id is that of the PaymentIntent, and the charge is an alias. If a payment
 * has no PaymentIntent, its id is that of the charge.
 */
function namesOf(paymentId: string, charge: string | undefined): Pick<Statement, 'paymentId' | 'aliases'> {
  return { paymentId, aliases: charge === undefined || charge === paymentId ? [] : [charge] };
}

const Part = z.nullish(z.object({ amount: z.nullish(z.int()), total_tax_amount: z.nullish(z.int()) }));

const Intent = z.object({
  id: z.string(),
  amount: z.int(),
  amount_received: z.int(),
  amount_details: z.nullish(z.object({ tip: Part, tax: Part, shipping: Part })),
  currency: z.string(),
  latest_charge: Link,
  receipt_email: z.nullish(z.string()),
  ...Customer,
});

function readIntent({ object, occurredAt, context }: Source): Statement[] | string {
  const intent = parsePart(Intent, object, 'payment_intent');
  const { amount, amount_received: received, amount_details: details, currency } = intent;
  if (received === 0) return 'The payment has received no money.';
  const named = sumOf([details?.tip?.amount, details?.tax?.total_tax_amount, details?.shipping?.amount]);
  return [
    {
      kind: 'payment.completed',
      ...namesOf(intent.id, idOf(intent.latest_charge)),
      ...referencesOf(intent, intent.receipt_email, context),
      capture: {
        id: intent.id,
        extent: 'total',
        money: money(received, currency),
        eligible: named > 0 ? shareOf(received, Math.max(0, amount - named), amount) : received,
        basis: named > 0 ? 'partial' : 'total',
      },
      occurredAt,
    },
  ];
}

const sumOf = (amounts: readonly (number | null | undefined)[]) =>
  amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);

const Refund = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  charge: Link,
  payment_intent: Link,
  status: z.nullish(z.string()),
});
type Refund = z.infer<typeof Refund>;

const Charge = z.object({
  id: z.string(),
  amount: z.int(),
  amount_captured: z.nullish(z.int()),
  amount_refunded: z.nullish(z.int()),
  billing_details: z.nullish(z.object({ email: z.nullish(z.string()) })),
  captured: z.boolean(),
  currency: z.string(),
  payment_intent: Link,
  receipt_email: z.nullish(z.string()),
  /** Absent since API version 2022-11-15. */
  refunds: z.nullish(z.object({ data: z.nullish(z.array(Refund)) })),
  status: z.nullish(z.string()),
  ...Customer,
});
type Charge = z.infer<typeof Charge>;

const namesOfCharge = ({ id, payment_intent }: Charge) => namesOf(idOf(payment_intent) ?? id, id);

const refundedTotalOf = ({ amount_refunded: amount, currency }: Charge) =>
  amount ? money(amount, currency) : undefined;

/** A charge reports the same money as its PaymentIntent. Both report totals, and totals are never added. */
function readCharge({ object, occurredAt, context }: Source): Statement[] | string {
  const charge = parsePart(Charge, object, 'charge');
  if (!charge.captured || (charge.status ?? 'succeeded') !== 'succeeded') return 'The charge is not captured.';
  const amount = charge.amount_captured ?? charge.amount;
  return [
    {
      kind: 'payment.completed',
      ...namesOfCharge(charge),
      ...referencesOf(charge, charge.receipt_email ?? charge.billing_details?.email, context),
      capture: {
        id: charge.id,
        extent: 'total',
        money: money(amount, charge.currency),
        eligible: amount,
        basis: 'total',
      },
      refundedTotal: refundedTotalOf(charge),
      occurredAt,
    },
  ];
}

/**
 * `charge.refunded` contains the total of all refunds so far. Only old API versions also contain the refunds
 * themselves.
 */
function readRefundedCharge({ object, occurredAt }: Source): Statement[] {
  const charge = parsePart(Charge, object, 'charge');
  const names = namesOfCharge(charge);
  const refunds = (charge.refunds?.data ?? []).map((refund) => statementOfRefund(refund, names, occurredAt));
  return [
    { kind: 'refund.completed', ...names, refundedTotal: refundedTotalOf(charge), occurredAt },
    ...refunds.filter((statement) => typeof statement !== 'string'),
  ];
}

function readRefund({ object, occurredAt }: Source): Statement[] | string {
  const refund = parsePart(Refund, object, 'refund');
  const charge = idOf(refund.charge);
  const payment = idOf(refund.payment_intent) ?? charge;
  if (payment === undefined) return 'The refund names no payment, like a refund of a balance.';
  const statement = statementOfRefund(refund, namesOf(payment, charge), occurredAt);
  return typeof statement === 'string' ? statement : [statement];
}

const refundKinds = new Map([
  ['succeeded', 'refund.completed' as const],
  ['pending', 'refund.pending' as const],
  ['requires_action', 'refund.pending' as const],
  ['failed', 'refund.failed' as const],
  ['canceled', 'refund.failed' as const],
]);

function statementOfRefund(
  { id, amount, currency, status }: Refund,
  names: Pick<Statement, 'paymentId' | 'aliases'>,
  occurredAt: string,
): Statement | string {
  const kind = refundKinds.get(status ?? '');
  if (!kind) return `The refund has the status ${status}, which is not known.`;
  return { kind, ...names, refund: { id, money: money(amount, currency) }, occurredAt };
}

const Dispute = z.object({
  /** Disputes had no id before 2014; a charge had at most one dispute. */
  id: z.nullish(z.string()),
  amount: z.int(),
  balance_transactions: z.nullish(z.array(z.object({ amount: z.nullish(z.int()) }))),
  charge: Link,
  currency: z.string(),
  payment_intent: Link,
  status: z.string(),
});
type Dispute = z.infer<typeof Dispute>;

function readDispute({ type, object, occurredAt }: Source): Statement[] | string {
  const dispute = parsePart(Dispute, object, 'dispute');
  const charge = idOf(dispute.charge);
  const payment = idOf(dispute.payment_intent) ?? charge;
  if (payment === undefined) return 'The dispute names no payment.';
  return [
    {
      kind: disputeKindOf(type, dispute),
      ...namesOf(payment, charge),
      dispute: {
        id: dispute.id ?? payment,
        money: money(dispute.amount, dispute.currency),
        isInquiry: /^(warning_|prevented)/.test(dispute.status),
      },
      occurredAt,
    },
  ];
}

/**
 * A dispute may be decided before Stripe reports it as created. So the status of the dispute counts and not the type of
 * the event, except for events that report that money moved.
 */
function disputeKindOf(type: string, { status, balance_transactions: movements }: Dispute) {
  if (type === 'charge.dispute.funds_withdrawn') return 'dispute.funds_withdrawn';
  if (type === 'charge.dispute.funds_reinstated') return 'dispute.reinstated';
  if (status === 'lost') return 'dispute.lost';
  if (status === 'won') return 'dispute.won';
  return movements?.some(({ amount }) => (amount ?? 0) < 0) ? 'dispute.funds_withdrawn' : 'dispute.opened';
}

const Session = z.object({
  id: z.string(),
  amount_total: z.nullish(z.int()),
  amount_subtotal: z.nullish(z.int()),
  currency: z.nullish(z.string()),
  customer_details: z.nullish(z.object({ email: z.nullish(z.string()) })),
  payment_intent: Link,
  payment_status: z.string(),
  total_details: z.nullish(
    z.object({
      amount_discount: z.nullish(z.int()),
      amount_shipping: z.nullish(z.int()),
      amount_tax: z.nullish(z.int()),
    }),
  ),
  ...Customer,
});

function readSession({ object, occurredAt, context }: Source): Statement[] | string {
  const session = parsePart(Session, object, 'checkout.session');
  const { amount_total: total, amount_subtotal: subtotal, currency, total_details: details } = session;
  const paymentId = idOf(session.payment_intent);
  if (paymentId === undefined) return 'The session has no PaymentIntent. The invoice of a subscription counts.';
  if (total == null || currency == null) return 'The session has no total yet.';
  const common = {
    ...namesOf(paymentId, undefined),
    ...referencesOf(session, session.customer_details?.email, context),
    occurredAt,
  };
  const tax = details?.amount_tax ?? 0;
  const shipping = details?.amount_shipping ?? 0;
  // The total always contains the tax, whether the prices contain it or not.
  const eligible = Math.max(0, total - tax - shipping);
  const parts = { subtotal: subtotal ?? undefined, discount: details?.amount_discount ?? undefined, tax, shipping };
  const order: Statement = {
    kind: 'order.completed',
    ...common,
    order: { total: money(total, currency), eligible, ...parts },
  };
  if (session.payment_status !== 'paid') return [order];
  const capture = assumedCapture(session.id, money(total, currency), eligible);
  return [order, { kind: 'payment.completed', ...common, capture }];
}

/** A paid session or invoice counts as a capture if the event destination sends no events of payments and charges. */
function assumedCapture(id: string, total: Money, eligible: number) {
  return { id, extent: 'assumed' as const, money: total, eligible, basis: 'subtotal' as const };
}

const Taxes = z.nullish(z.array(z.object({ amount: z.int() })));

const Invoice = z.object({
  id: z.string(),
  amount_paid: z.int(),
  charge: Link,
  currency: z.string(),
  customer_email: z.nullish(z.string()),
  payment_intent: Link,
  shipping_cost: z.nullish(z.object({ amount_subtotal: z.nullish(z.int()) })),
  subtotal: z.nullish(z.int()),
  tax: z.nullish(z.int()),
  total: z.int(),
  total_excluding_tax: z.nullish(z.int()),
  total_tax_amounts: Taxes,
  total_taxes: Taxes,
  ...Customer,
});

function readInvoice({ object, occurredAt, context }: Source): Statement[] | string {
  const invoice = parsePart(Invoice, object, 'invoice');
  const { amount_paid: paid, currency, total } = invoice;
  const charge = idOf(invoice.charge);
  const payment = idOf(invoice.payment_intent) ?? charge;
  if (payment === undefined) return 'The invoice names no payment: its PaymentIntent counts.';
  if (paid === 0) return 'Nothing was paid for the invoice.';
  const taxes = (invoice.total_taxes ?? invoice.total_tax_amounts ?? []).map(({ amount }) => amount);
  const tax = invoice.total_excluding_tax == null ? (invoice.tax ?? sumOf(taxes)) : total - invoice.total_excluding_tax;
  const shipping = invoice.shipping_cost?.amount_subtotal ?? 0;
  const eligible = Math.max(0, total - tax - shipping);
  const common = {
    ...namesOf(payment, charge),
    ...referencesOf(invoice, invoice.customer_email, context),
    occurredAt,
  };
  const order = { total: money(total, currency), eligible, subtotal: invoice.subtotal ?? undefined, tax, shipping };
  const capture = assumedCapture(invoice.id, money(paid, currency), shareOf(eligible, Math.min(paid, total), total));
  return [
    { kind: 'order.completed', ...common, order },
    { kind: 'payment.completed', ...common, capture },
  ];
}
