import * as z from 'zod/mini';
import { maximumCharacters } from '../../contracts/limits.ts';
import { MinorUnits, Money } from './money.ts';

const idPattern = new RegExp(`^(?!__proto__$)[\\x21-\\x7e]{1,${maximumCharacters.text}}$`);

/** An identifier of a payment platform. Payment books use such ids as keys. */
export const PlatformId = z
  .string()
  .check(z.regex(idPattern, `has to be printable ASCII without spaces, at most ${maximumCharacters.text} characters`));

const Reference = z.string().check(
  z.minLength(1),
  z.maxLength(maximumCharacters.text),
  z.refine((text) => text.isWellFormed(), 'has to be well-formed Unicode'),
);

/** UTC with milliseconds, so that the texts of instants sort by time. */
const UtcInstant = z.iso.datetime({ precision: 3 });

/**
 * The version of a refund, dispute or capture: a number or time of the payment platform that grows with each change. An
 * event replaces events with a lower version. Zero if the platform has no versions: then a later state, such as
 * `completed` after `pending`, replaces an earlier state.
 */
const Version = z._default(z.int().check(z.gte(0)), 0);

/** The customer of a payment, in every form that the platform reports. A guest has no references. */
const CustomerReferences = z.object({
  /** The customer's id at the platform. */
  platformCustomerId: z.optional(Reference),
  /** The customer's id at the merchant, as `external_id` of the connect flow. */
  merchantExternalId: z.optional(Reference),
  /** A keyed hash of the e-mail address; the address itself is never stored. */
  emailHash: z.optional(Reference),
});

/**
 * How the eligible amount was found, from coarse to exact. `total`: the whole total, because taxes and tips are
 * unknown. `partial`: the total without the taxes, tips or shipping that the platform names. `subtotal`: goods after
 * discounts.
 */
export const eligibleBases = ['total', 'partial', 'subtotal'] as const;

const isWithin = (part: number, total: number) => part <= total;

/** Money that was taken from the customer. */
const Capture = z
  .object({
    id: PlatformId,
    /**
     * `part`: a separate amount, to which other parts are added. `total`: everything captured up to the event; totals
     * are never added. `assumed`: a total that counts only while the platform has reported neither a part nor a total.
     */
    extent: z.enum(['assumed', 'part', 'total']),
    money: Money,
    /** The part of the amount that may earn. */
    eligible: MinorUnits,
    basis: z.enum(eligibleBases),
    /** The amount of `money`, in the currency that the customer saw. Refunds may be stated in that currency. */
    presented: z.optional(Money),
    version: Version,
  })
  .check(z.refine(({ eligible, money }) => isWithin(eligible, money.amount), 'earns on more than was captured'));

const Refund = z.object({ id: PlatformId, money: Money, version: Version });

const Dispute = z.object({
  id: PlatformId,
  money: Money,
  /** Whether the bank only asks: an inquiry moves no money. */
  isInquiry: z._default(z.boolean(), false),
  version: Version,
});

/** A statement about the bought goods. It adds data to a payment and never counts as a payment. */
const OrderStatement = z
  .object({
    total: Money,
    /** Goods after discounts, without taxes, tips and shipping. */
    eligible: MinorUnits,
    subtotal: z.optional(MinorUnits),
    discount: z.optional(MinorUnits),
    tax: z.optional(MinorUnits),
    tip: z.optional(MinorUnits),
    shipping: z.optional(MinorUnits),
  })
  .check(z.refine(({ eligible, total }) => isWithin(eligible, total.amount), 'earns on more than its total'));

const common = {
  platform: PlatformId,
  /** The payment account at the platform. It is registered to one merchant. */
  account: PlatformId,
  /** False for test money. */
  livemode: z.boolean(),
  /** The platform's id of the event. A retry has the same id. All events of one message have the same id. */
  eventId: PlatformId,
  /** Equal for all events with the same content, so that a second event for one change is recognised. */
  changeId: PlatformId,
  /** The payment's id, unique in its account. */
  paymentId: PlatformId,
  /** Other ids of the same payment: a later event may contain only one of these ids. */
  aliases: z._default(z.array(PlatformId), []),
  customer: z._default(CustomerReferences, {}),
  /** The order's id in the merchant's system. */
  orderExternalId: z.optional(Reference),
  /** The amount that was refunded up to the event, if the platform reports a running total. */
  refundedTotal: z.optional(Money),
  occurredAt: UtcInstant,
};

/** The stages of a refund, from early to late: a later stage replaces an earlier one. */
export const refundStages = ['pending', 'completed', 'failed'] as const;

/** The stages of a dispute, from early to late: a later stage replaces an earlier one. */
export const disputeStages = ['inquiry', 'opened', 'funds_withdrawn', 'reinstated', 'won', 'lost'] as const;
export type DisputeStage = (typeof disputeStages)[number];

/**
 * A report about a payment, in the same form for every payment platform (docs/architecture/payments.md). An event
 * describes a state, not a step. So events may arrive twice and in any order.
 */
export const PaymentEvent = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('payment.completed'), capture: Capture }),
  /** Names a customer or an order, and moves no money. */
  z.object({ ...common, kind: z.literal('payment.updated') }),
  /** A capture that was reported or assumed did not happen. */
  z.object({ ...common, kind: z.literal('payment.failed'), capture: z.object({ id: PlatformId, version: Version }) }),
  z.object({ ...common, kind: z.literal('order.completed'), order: OrderStatement }),
  z.object({
    ...common,
    kind: z.enum(['refund.pending', 'refund.completed', 'refund.failed']),
    /** Absent when the platform reports only the running total. */
    refund: z.optional(Refund),
  }),
  z.object({
    ...common,
    kind: z.enum(['dispute.opened', 'dispute.funds_withdrawn', 'dispute.reinstated', 'dispute.won', 'dispute.lost']),
    dispute: Dispute,
  }),
]);
export type PaymentEvent = z.infer<typeof PaymentEvent>;
