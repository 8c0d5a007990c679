import * as z from 'zod/mini';
import { exponentOf, type Money, minorUnitsOf } from '../domain/payment/money.ts';
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
  Time,
} from './platform.ts';

/** Shopify through its partner event source: `detail` has the webhook's body as `payload` and its headers as `metadata`. */
export const shopify: PaymentPlatform = {
  name: 'shopify',
  source: 'aws.partner/shopify.com/',
  accountOf: (envelope) => {
    const { headers } = deliveryOf(envelope);
    const shop = headers.get('x-shopify-shop-domain') ?? headers.get('shopify-shop-domain');
    if (shop === undefined) throw new MalformedPaymentError('detail/metadata names no shop domain.');
    return shop;
  },
  read,
};

const Delivery = z.object({ payload: z.unknown(), metadata: z.record(z.string(), z.unknown()) });

/** The spelling of the headers differs between Shopify's API versions. */
function deliveryOf({ detail }: Envelope): { payload: unknown; headers: ReadonlyMap<string, string> } {
  const { payload, metadata } = parsePart(Delivery, detail, 'detail');
  const headers = Object.entries(metadata).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    String(value),
  ]);
  return { payload, headers: new Map(headers) };
}

type Statements = Pick<Message, 'livemode' | 'statements'> | string;

/** The topics that count. */
const readers: Readonly<Record<string, (payload: unknown, context: ReadingContext, time: string) => Statements>> = {
  'orders/paid': readOrder,
  'orders/create': readOrder,
  'orders/updated': readOrder,
  'orders/cancelled': readOrder,
  'refunds/create': readRefund,
  'order_transactions/create': readTransaction,
  'disputes/create': readDispute,
  'disputes/update': readDispute,
};

function read(envelope: Envelope, context: ReadingContext): Message | string {
  const { payload, headers } = deliveryOf(envelope);
  const topic = headers.get('x-shopify-topic');
  if (topic === undefined) return preview(payload);
  const reader = new Map(Object.entries(readers)).get(topic);
  if (!reader) return `Webhooks of the topic ${topic} do not count.`;
  const message = reader(
    payload,
    context,
    parsePart(Time, headers.get('x-shopify-triggered-at') ?? envelope.time, 'time'),
  );
  if (typeof message === 'string') return message;
  // The webhook's id stays the same when Shopify repeats it; the event's id is shared by several topics.
  const eventId = headers.get('x-shopify-webhook-id') ?? headers.get('x-shopify-event-id') ?? envelope.id;
  return { eventId, ...message };
}

/** Messages of Shopify's preview version have other headers. A query of the app defines their payload. */
function preview(payload: unknown): string {
  const { errors } = parsePart(z.object({ errors: z.nullish(z.array(z.unknown())) }), payload, 'detail/payload');
  return errors && errors.length > 0
    ? "Shopify did not give the order to the app. Approve the app's access to protected customer data."
    : 'Events of the preview name no captured amount. Subscribe to the webhook topics orders/paid and refunds/create.';
}

/** An id. An id over 2^53 arrives as text, so it stays exact. */
const Id = z.union([z.string(), z.int()]);
/** An amount in major units. Most are texts. */
const Decimal = z.union([z.string(), z.number()]);

function moneyOf(decimal: string | number, currency: string): Money {
  const exponent = exponentOf(currency);
  const amount = minorUnitsOf(String(decimal), exponent);
  if (amount === undefined) throw new MalformedPaymentError(`${decimal} is no amount of ${currency}.`);
  return { amount, currency, exponent };
}

const Transaction = z.object({
  id: z.nullish(Id),
  order_id: z.nullish(Id),
  kind: z.string(),
  status: z.nullish(z.string()),
  amount: Decimal,
  currency: z.nullish(z.string()),
  test: z.nullish(z.boolean()),
});
type Transaction = z.infer<typeof Transaction>;

const Refund = z.object({ order_id: z.nullish(Id), transactions: z.nullish(z.array(Transaction)) });

const Prices = z.nullish(z.array(z.object({ price: Decimal })));
const MoneySet = z.nullish(z.object({ presentment_money: z.object({ amount: Decimal, currency_code: z.string() }) }));

const Order = z.object({
  id: Id,
  created_at: Time,
  currency: z.string(),
  customer: z.nullish(z.object({ id: z.nullish(Id), email: z.nullish(z.string()) })),
  email: z.nullish(z.string()),
  financial_status: z.nullish(z.string()),
  line_items: z.array(
    z.object({
      price: Decimal,
      quantity: z.int(),
      gift_card: z.nullish(z.boolean()),
      discount_allocations: z.nullish(z.array(z.object({ amount: Decimal }))),
    }),
  ),
  note_attributes: z.nullish(z.array(z.object({ name: z.string(), value: z.unknown() }))),
  processed_at: z.nullish(Time),
  refunds: z.nullish(z.array(Refund)),
  shipping_lines: z.nullish(z.array(z.object({ tax_lines: Prices }))),
  subtotal_price: Decimal,
  taxes_included: z.nullish(z.boolean()),
  test: z.nullish(z.boolean()),
  total_price: Decimal,
  total_price_set: MoneySet,
  total_tax: Decimal,
});
type Order = z.infer<typeof Order>;

/** The states of an order that was fully paid. */
const paidStates = ['paid', 'partially_refunded', 'refunded'];

/** An order contains its payment and its refunds, so the next webhook of the order replaces a lost one. */
function readOrder(payload: unknown, context: ReadingContext): Statements {
  const order = parsePart(Order, payload, 'detail/payload');
  if (!paidStates.includes(order.financial_status ?? '')) return `The order is ${order.financial_status}, not paid.`;
  const paymentId = String(order.id);
  const occurredAt = order.processed_at ?? order.created_at;
  const externalId = order.note_attributes?.find(({ name }) => name === 'merchant_external_id')?.value;
  const payment: Statement = {
    kind: 'payment.completed',
    paymentId,
    customer: {
      platformCustomerId: referenceOf(order.customer?.id),
      merchantExternalId: typeof externalId === 'string' ? referenceOf(externalId) : undefined,
      emailHash: emailHashOf(order.email || order.customer?.email, context),
    },
    orderExternalId: paymentId,
    capture: captureOf(order),
    occurredAt,
  };
  const transactions = (order.refunds ?? []).flatMap(({ transactions }) => transactions ?? []);
  const refunds = transactions.flatMap((one) =>
    refundOf({ ...one, currency: one.currency ?? order.currency }, paymentId, occurredAt),
  );
  // Only test orders are marked. A shop of a test stage may also have orders without the mark.
  return { livemode: order.test ? false : undefined, statements: [payment, ...refunds] };
}

/**
 * All amounts are in the shop's currency. `presented` is the total in the currency that the customer saw, in which
 * refunds are paid.
 */
function captureOf(order: Order): Extract<Statement, { kind: 'payment.completed' }>['capture'] {
  const { id, currency, total_price, total_price_set: set, subtotal_price } = order;
  const minor = (decimal: string | number) => moneyOf(decimal, currency).amount;
  const sum = (decimals: readonly (string | number)[]) =>
    decimals.reduce<number>((total, one) => total + minor(one), 0);

  const shippingTax = sum(
    (order.shipping_lines ?? []).flatMap(({ tax_lines }) => (tax_lines ?? []).map(({ price }) => price)),
  );
  const includedTax = order.taxes_included ? minor(order.total_tax) - shippingTax : 0;
  const giftCards = order.line_items
    .filter(({ gift_card }) => gift_card)
    .map(
      (line) => minor(line.price) * line.quantity - sum((line.discount_allocations ?? []).map(({ amount }) => amount)),
    );
  const eligible = minor(subtotal_price) - includedTax - giftCards.reduce((total, one) => total + one, 0);
  const money = moneyOf(total_price, currency);
  const presented = set && moneyOf(set.presentment_money.amount, set.presentment_money.currency_code);
  return {
    id: String(id),
    extent: 'total',
    money,
    eligible: Math.min(money.amount, Math.max(0, eligible)),
    basis: 'subtotal',
    presented: presented && presented.currency !== currency ? presented : undefined,
  };
}

/** The money that a refund returned is the sum of its transactions; its line items are the goods that came back. */
function readRefund(payload: unknown, _context: ReadingContext, time: string): Statements {
  const { order_id: orderId, transactions } = parsePart(Refund, payload, 'detail/payload');
  return refundsOf(transactions ?? [], orderId, time);
}

function readTransaction(payload: unknown, _context: ReadingContext, time: string): Statements {
  const transaction = parsePart(Transaction, payload, 'detail/payload');
  return transaction.kind === 'refund'
    ? refundsOf([transaction], transaction.order_id, time)
    : `A transaction of kind ${transaction.kind} is part of its order, which counts once it is paid.`;
}

function refundsOf(
  transactions: readonly Transaction[],
  orderId: Order['id'] | null | undefined,
  time: string,
): Statements {
  const refunds = transactions.filter(({ kind }) => kind === 'refund');
  if (refunds.length === 0) return 'The refund returned no money.';
  if (orderId == null) throw new MalformedPaymentError('detail/payload/order_id is missing.');
  return {
    livemode: refunds.every(({ test }) => test) ? false : undefined,
    statements: refunds.flatMap((refund) => refundOf(refund, String(orderId), time)),
  };
}

const refundKinds = new Map([
  ['success', 'refund.completed' as const],
  ['pending', 'refund.pending' as const],
  ['failure', 'refund.failed' as const],
  ['error', 'refund.failed' as const],
]);

function refundOf(
  { id, kind: type, status, amount, currency }: Transaction,
  paymentId: string,
  occurredAt: string,
): Statement[] {
  const kind = refundKinds.get(status ?? '');
  if (type !== 'refund' || !kind) return [];
  if (id == null || currency == null) throw new MalformedPaymentError('A refund has no id or no currency.');
  return [{ kind, paymentId, refund: { id: String(id), money: moneyOf(amount, currency) }, occurredAt }];
}

const Dispute = z.object({
  id: Id,
  order_id: z.nullish(Id),
  type: z.string(),
  status: z.string(),
  amount: Decimal,
  currency: z.string(),
});

const disputeKinds = new Map([
  ['won', 'dispute.won' as const],
  ['lost', 'dispute.lost' as const],
  ['accepted', 'dispute.lost' as const],
  // The charge was refunded in place of the dispute. Only the refund counts.
  ['charge_refunded', 'dispute.reinstated' as const],
]);

/** Shopify withdraws the money of a chargeback immediately. For an inquiry it withdraws no money. */
function readDispute(payload: unknown, _context: ReadingContext, occurredAt: string): Statements {
  const { id, order_id: orderId, type, status, amount, currency } = parsePart(Dispute, payload, 'detail/payload');
  if (orderId == null) return 'The dispute names no order.';
  const isInquiry = type === 'inquiry';
  const kind = isInquiry ? 'dispute.opened' : (disputeKinds.get(status) ?? 'dispute.funds_withdrawn');
  const dispute = { id: String(id), money: moneyOf(amount, currency), isInquiry };
  return { livemode: undefined, statements: [{ kind, paymentId: String(orderId), dispute, occurredAt }] };
}
