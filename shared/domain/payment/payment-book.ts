import * as z from 'zod/mini';
import { maximumCount } from '../../contracts/limits.ts';
import { timeOf } from '../period.ts';
import { MinorUnits, Money } from './money.ts';
import { type DisputeStage, disputeStages, eligibleBases, type PaymentEvent, refundStages } from './payment-event.ts';

const version = z.int();

/** The knowledge about one capture. The fields are those of the event that reported the capture. */
const CompletedCapture = z.object({
  status: z.literal('completed'),
  version,
  extent: z.enum(['assumed', 'part', 'total']),
  money: Money,
  eligible: MinorUnits,
  basis: z.enum(eligibleBases),
  presented: z.optional(Money),
});
export type CompletedCapture = z.infer<typeof CompletedCapture>;

const CaptureEntry = z.discriminatedUnion('status', [
  CompletedCapture,
  z.object({
    status: z.literal('failed'),
    version,
    /** What the capture was reported to be before, or by an event that arrived late. */
    reported: z.optional(CompletedCapture),
  }),
]);
type CaptureEntry = z.infer<typeof CaptureEntry>;

const RefundEntry = z.object({ stage: z.enum(refundStages), version, money: Money });
type RefundEntry = z.infer<typeof RefundEntry>;

const DisputeEntry = z.object({ stage: z.enum(disputeStages), version, money: Money });
type DisputeEntry = z.infer<typeof DisputeEntry>;

const OrderEntry = z.object({ statedAt: z.string(), total: Money, eligible: MinorUnits });
type OrderEntry = z.infer<typeof OrderEntry>;

/** Sorted, without repetition, at most the first {@link maximumCount.paymentReferences}. */
const References = z.array(z.string());

/**
 * Everything known of one payment. Events only add knowledge. {@link mergePaymentBooks} joins two books into one that
 * contains the knowledge of both. The sequence and the number of merges make no difference, so no list of seen events
 * is needed.
 *
 * The size is bounded: a book holds at most {@link maximumCount.paymentEntries} captures, refunds and disputes. A book
 * that would exceed this is overfull for ever: it contains none of them, and the payment earns nothing.
 */
export const PaymentBook = z.object({
  captures: z.record(z.string(), CaptureEntry),
  refunds: z.record(z.string(), RefundEntry),
  disputes: z.record(z.string(), DisputeEntry),
  /** By currency, the highest running total of refunds that the platform reported. */
  refundedTotals: z.record(z.string(), MinorUnits),
  order: z.optional(OrderEntry),
  /** The earliest time of a reported capture. Campaigns are evaluated for this time. */
  paidAt: z.optional(z.string()),
  platformCustomerIds: References,
  merchantExternalIds: References,
  emailHashes: References,
  orderExternalIds: References,
  aliases: References,
  isOverfull: z.boolean(),
});
export type PaymentBook = z.infer<typeof PaymentBook>;

/** The book of a payment before its first event. */
export const emptyPaymentBook: PaymentBook = {
  captures: {},
  refunds: {},
  disputes: {},
  refundedTotals: {},
  platformCustomerIds: [],
  merchantExternalIds: [],
  emailHashes: [],
  orderExternalIds: [],
  aliases: [],
  isOverfull: false,
};

/**
 * Adds what an event reports to the book of its payment. Commutative and idempotent: neither the sequence of events nor
 * repetitions make a difference. Returns the same object when the event reports nothing new.
 */
export function applyPaymentEvent(book: PaymentBook, event: PaymentEvent): PaymentBook {
  return mergePaymentBooks(book, bookOfEvent(event));
}

/**
 * Joins two books of one payment, such as the books of two ids of the payment. Associative, commutative and idempotent.
 * Returns the first book itself when the second book adds nothing.
 */
export function mergePaymentBooks(one: PaymentBook, other: PaymentBook): PaymentBook {
  const order = greaterOf(one.order, other.order, orderKeys);
  // The earlier time stays.
  const paidAt = greaterOf(one.paidAt, other.paidAt, (at) => [-timeOf(at)]);
  const merged: PaymentBook = {
    ...mergeMoney(one, other),
    ...(order && { order }),
    ...(paidAt !== undefined && { paidAt }),
    platformCustomerIds: mergeReferences(one.platformCustomerIds, other.platformCustomerIds),
    merchantExternalIds: mergeReferences(one.merchantExternalIds, other.merchantExternalIds),
    emailHashes: mergeReferences(one.emailHashes, other.emailHashes),
    orderExternalIds: mergeReferences(one.orderExternalIds, other.orderExternalIds),
    aliases: mergeReferences(one.aliases, other.aliases),
  };
  const names = Object.keys(merged) as (keyof PaymentBook)[];
  return names.every((name) => merged[name] === one[name]) ? one : merged;
}

type MoneyOfBook = Pick<PaymentBook, 'captures' | 'refunds' | 'disputes' | 'refundedTotals' | 'isOverfull'>;

function mergeMoney(one: PaymentBook, other: PaymentBook): MoneyOfBook {
  if (one.isOverfull) return moneyOfBook(one);
  if (other.isOverfull) return moneyOfBook(other);
  const entries = {
    captures: mergeCaptures(one.captures, other.captures),
    refunds: mergeEntries(one.refunds, other.refunds, refundKeys),
    disputes: mergeEntries(one.disputes, other.disputes, disputeKeys),
    refundedTotals: mergeEntries(one.refundedTotals, other.refundedTotals, (amount) => [amount]),
  };
  const size = Object.values(entries).reduce((sum, some) => sum + Object.keys(some).length, 0);
  if (size > maximumCount.paymentEntries) return moneyOfBook({ ...emptyPaymentBook, isOverfull: true });
  return { ...entries, isOverfull: false };
}

function moneyOfBook({ captures, refunds, disputes, refundedTotals, isOverfull }: PaymentBook): MoneyOfBook {
  return { captures, refunds, disputes, refundedTotals, isOverfull };
}

/**
 * All fields of an entry, the most important first. Of two entries with the same id, the one with the greater keys
 * stays. Entries with equal keys are equal, so either may stay.
 */
type Keys<Entry> = (entry: Entry) => readonly (number | string)[];

const moneyKeys: Keys<Money> = ({ amount, currency, exponent }) => [amount, currency, exponent];

const captureKeys: Keys<CaptureEntry> = (entry) => {
  if (entry.status === 'failed') return [entry.version, 1];
  const { extent, money, eligible, basis, presented } = entry;
  return [
    entry.version,
    0,
    extent,
    money.amount,
    // The more exact eligible amount stays. If both are equally exact, the smaller amount stays.
    eligibleBases.indexOf(basis),
    -eligible,
    ...moneyKeys(money),
    ...(presented ? moneyKeys(presented) : []),
  ];
};

const refundKeys: Keys<RefundEntry> = ({ stage, money, version }) => [
  version,
  refundStages.indexOf(stage),
  ...moneyKeys(money),
];

const disputeKeys: Keys<DisputeEntry> = ({ stage, money, version }) => [
  version,
  disputeStages.indexOf(stage),
  ...moneyKeys(money),
];

const orderKeys: Keys<OrderEntry> = ({ statedAt, total, eligible }) => [statedAt, -eligible, ...moneyKeys(total)];

function greaterOf<Entry>(one: Entry, other: Entry, keysOf: Keys<Exclude<Entry, undefined>>): Entry {
  if (one === undefined || other === undefined) return one ?? other;
  return isGreater(keysOf(other as Exclude<Entry, undefined>), keysOf(one as Exclude<Entry, undefined>)) ? other : one;
}

function isGreater(one: readonly (number | string)[], other: readonly (number | string)[]): boolean {
  const position = one.findIndex((key, at) => key !== other[at]);
  const [key, otherKey] = [one[position], other[position]];
  return key !== undefined && (otherKey === undefined || key > otherKey);
}

/** Joins captures. A capture that failed keeps what would be known of it without the failure. */
function mergeCaptures(one: PaymentBook['captures'], other: PaymentBook['captures']): PaymentBook['captures'] {
  const merged = mergeEntries(one, other, captureKeys);
  const kept = Object.entries(merged).flatMap(([id, entry]) => {
    if (entry.status !== 'failed') return [];
    const reported = greaterOf(reportedOf(one, id), reportedOf(other, id), captureKeys);
    return reported === undefined || reported === entry.reported ? [] : [[id, { ...entry, reported }] as const];
  });
  return kept.length === 0 ? merged : { ...merged, ...Object.fromEntries(kept) };
}

function reportedOf(captures: PaymentBook['captures'], id: string): CompletedCapture | undefined {
  const entry = Object.hasOwn(captures, id) ? captures[id] : undefined;
  return entry?.status === 'failed' ? entry.reported : entry;
}

function mergeEntries<Entry>(
  one: Record<string, Entry>,
  other: Record<string, Entry>,
  keysOf: Keys<Entry>,
): Record<string, Entry> {
  const news = Object.entries(other).filter(([id, entry]) => {
    const known = Object.hasOwn(one, id) ? one[id] : undefined;
    return known === undefined || isGreater(keysOf(entry), keysOf(known));
  });
  return news.length === 0 ? one : { ...one, ...Object.fromEntries(news) };
}

/** Keeps the first references of both lists in sorted order, so that their sequence of arrival makes no difference. */
function mergeReferences(one: string[], other: string[]): string[] {
  if (other.length === 0) return one;
  const merged = [...new Set([...one, ...other])].sort().slice(0, maximumCount.paymentReferences);
  return merged.length === one.length && merged.every((reference, at) => reference === one[at]) ? one : merged;
}

/** The book that contains only the report of one event. */
function bookOfEvent(event: PaymentEvent): PaymentBook {
  const { customer, orderExternalId, refundedTotal, aliases } = event;
  return {
    ...emptyPaymentBook,
    ...statementOf(event),
    ...(refundedTotal && { refundedTotals: { [refundedTotal.currency]: refundedTotal.amount } }),
    platformCustomerIds: mergeReferences([], listOf(customer.platformCustomerId)),
    merchantExternalIds: mergeReferences([], listOf(customer.merchantExternalId)),
    emailHashes: mergeReferences([], listOf(customer.emailHash)),
    orderExternalIds: mergeReferences([], listOf(orderExternalId)),
    aliases: mergeReferences([], aliases),
  };
}

const listOf = (reference: string | undefined) => (reference === undefined ? [] : [reference]);

function statementOf(event: PaymentEvent): Partial<PaymentBook> {
  switch (event.kind) {
    case 'payment.updated':
      return {};
    case 'payment.completed': {
      const { id, ...capture } = event.capture;
      return { captures: { [id]: { status: 'completed', ...capture } }, paidAt: event.occurredAt };
    }
    case 'payment.failed':
      return { captures: { [event.capture.id]: { status: 'failed', version: event.capture.version } } };
    case 'order.completed': {
      const { total, eligible } = event.order;
      return { order: { statedAt: event.occurredAt, total, eligible } };
    }
    case 'refund.pending':
    case 'refund.completed':
    case 'refund.failed': {
      if (!event.refund) return {};
      const { id, money, version } = event.refund;
      return { refunds: { [id]: { stage: refundStageOf[event.kind], version, money } } };
    }
    default: {
      const { id, money, version } = event.dispute;
      return { disputes: { [id]: { stage: disputeStageOf(event), version, money } } };
    }
  }
}

const refundStageOf = {
  'refund.pending': 'pending',
  'refund.completed': 'completed',
  'refund.failed': 'failed',
} as const;

const disputeStageOfKind = {
  'dispute.opened': 'opened',
  'dispute.funds_withdrawn': 'funds_withdrawn',
  'dispute.reinstated': 'reinstated',
  'dispute.won': 'won',
  'dispute.lost': 'lost',
} as const;

function disputeStageOf({ kind, dispute }: Extract<PaymentEvent, { dispute: unknown }>): DisputeStage {
  return kind === 'dispute.opened' && dispute.isInquiry ? 'inquiry' : disputeStageOfKind[kind];
}
