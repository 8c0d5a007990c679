import * as z from 'zod/mini';
import { maximumAmountCents, secondMs, timingMs } from '../../contracts/limits.ts';
import { awardRejections, finalization, pendingFinalization, withNextRevision } from '../award/finalization.ts';
import { timeOf } from '../period.ts';
import { applyPaymentEvent, emptyPaymentBook, mergePaymentBooks, PaymentBook } from './payment-book.ts';
import type { PaymentEvent } from './payment-event.ts';
import { paymentPosition } from './payment-position.ts';

/** An account of a payment platform. All events of the account belong to one merchant. */
export const PaymentAccount = z.object({
  platform: z.string(),
  /** The account at the platform: a Stripe account or event destination, a Shopify shop, a Square or Adyen merchant. */
  account: z.string(),
  merchantId: z.int(),
  /** Whether the account captures payments by itself. Only Adyen's events depend on it. */
  capture: z.enum(['automatic', 'manual']),
  /** The key that the platform signs its webhooks with. Only accounts of Square and Adyen need a key. */
  signingKey: z.optional(z.string()),
  /** The URL that Square signs with every webhook, exactly as it is registered there. */
  notificationUrl: z.optional(z.string()),
  connectedAt: z.string(),
});
export type PaymentAccount = z.infer<typeof PaymentAccount>;

export type PaymentAccountKey = Pick<PaymentAccount, 'platform' | 'account'>;

/** Why a payment has earned nothing, or nothing yet, in words for an operator. */
export const paymentReasons = {
  ...awardRejections,
  not_captured: 'No money was captured yet. Refunds and disputes wait for it.',
  too_many_entries: 'The payment has more captures, refunds and disputes than a book holds.',
  captured_in_two_currencies: 'The captures are in two currencies.',
  currency_without_rate: 'Campaigns have no rate for the currency: they reward US dollars.',
  amount_too_large: 'The amount is larger than the largest purchase.',
  nothing_left: 'Nothing that may earn is left after refunds and disputes.',
  paid_before_connection: 'The payment was made before its account was connected.',
  no_member: 'No member is known for the customer. A later link claims the payment while its campaign runs.',
  several_members: 'The references of the payment lead to several members.',
  no_running_campaign: 'No campaign of the merchant ran when the payment was made.',
  user_not_customer: 'The member is no customer of the merchant.',
  user_not_linked: 'The member is in no program of a campaign that ran when the payment was made.',
  no_default_program: 'The member has several programs at the merchant and has chosen none of them.',
  nothing_earned: 'The member met no campaign that rewards the payment.',
} as const;
export type PaymentReason = keyof typeof paymentReasons;
const reasonNames = Object.keys(paymentReasons) as [PaymentReason, ...PaymentReason[]];

/** The reasons that a later link of the customer can change. */
const claimableReasons: readonly PaymentReason[] = ['no_member', 'user_not_customer', 'user_not_linked'];

/** The purchase that a payment earned in. Earlier releases also recorded an award for each later capture. */
const PaymentAward = z.object({
  /** The external transaction of the purchase. */
  externalTransactionId: z.string(),
  /** The eligible amount of the payment when the purchase was last settled. */
  eligibleCents: z.int(),
});

/** A payment: everything that its events reported, and what it has earned. */
export const Payment = z.object({
  uuid: z.string(),
  platform: z.string(),
  account: z.string(),
  paymentId: z.string(),
  merchantId: z.int(),
  book: PaymentBook,
  ...finalization,
  /** Absent after the award, and while the newest change of the book is not processed. */
  reason: z.optional(z.enum(reasonNames)),
  userId: z.optional(z.int()),
  /** The time that campaigns are evaluated for. It does not change after the first decision. */
  countsAt: z.optional(z.string()),
  awards: z.array(PaymentAward),
  /** The purchase in which the payment was settled, and its eligible amount. Absent before the first decision. */
  spent: z.optional(z.object({ externalTransactionId: z.string(), amountCents: z.int() })),
  /** The part of the eligible amount that was left after refunds and disputes, when the purchase was last settled. */
  netCents: z._default(z.int(), 0),
  /** The UUIDs of payments that became part of this payment. */
  formerUuids: z._default(z.array(z.string()), []),
  createdAt: z.string(),
});
export type Payment = z.infer<typeof Payment>;

/** The status of a payment: `received` until its newest change is processed. */
export function paymentStatus({ awards, reason }: Pick<Payment, 'awards' | 'reason'>) {
  if (awards.length > 0) return 'awarded';
  if (reason === undefined) return 'received';
  if (reason === 'not_captured') return 'waiting';
  return isClaimable(reason) ? 'unclaimed' : 'recorded';
}

/** Whether an award becomes possible if the customer is linked later. */
export const isClaimable = (reason: PaymentReason | undefined) =>
  reason !== undefined && claimableReasons.includes(reason);

/** A payment after an event: the payment that stays, and the payments that became part of it. */
export interface ReceivedPayment {
  readonly payment: Payment;
  /** Known payments that had other ids of the same payment. From now on `payment` replaces them. */
  readonly absorbed: readonly Payment[];
  /** The external ids of the orders that the book of `payment` did not contain before the event. */
  readonly newOrderIds: readonly string[];
  /** Whether the event reports anything new. */
  readonly isChanged: boolean;
}

/**
 * Adds an event to its payment. Events may use different ids of one payment, so several known payments may turn out to
 * be one. Then the known payment with awards stays, otherwise the oldest.
 *
 * @param known the payments under the ids that the event names
 */
export function receivePayment(
  known: readonly Payment[],
  {
    event,
    merchantId,
    uuid,
    hasNewId,
  }: {
    readonly event: PaymentEvent;
    readonly merchantId: number;
    /** The UUID for the payment, if the payment is new. */
    readonly uuid: string;
    /** Whether the event names an id that leads to no payment yet. */
    readonly hasNewId: boolean;
  },
  now: Date,
): ReceivedPayment {
  const [found, ...absorbed] = known.toSorted(
    (one, other) => other.awards.length - one.awards.length || (one.uuid < other.uuid ? -1 : 1),
  );
  const at = now.toISOString();
  const { platform, account, paymentId } = event;
  const before: Payment = found ?? {
    ...{ uuid, platform, account, paymentId, merchantId, book: emptyPaymentBook },
    ...{ awards: [], netCents: 0, formerUuids: [] },
    ...pendingFinalization(at),
    createdAt: at,
  };
  const merged = absorbed.reduce((book, other) => mergePaymentBooks(book, other.book), before.book);
  const book = applyPaymentEvent(merged, event);
  if (found && book === found.book && absorbed.length === 0 && !hasNewId)
    return { payment: found, absorbed, newOrderIds: [], isChanged: false };
  const newOrderIds = book.orderExternalIds.filter((id) => !found?.book.orderExternalIds.includes(id));
  const payment = {
    ...before,
    book,
    awards: [...before.awards, ...absorbed.flatMap(({ awards }) => awards)],
    netCents: absorbed.reduce((sum, { netCents }) => sum + netCents, before.netCents),
    transactionIds: [...before.transactionIds, ...absorbed.flatMap(({ transactionIds }) => transactionIds)],
    formerUuids: [...before.formerUuids, ...absorbed.flatMap((other) => [other.uuid, ...other.formerUuids])],
    updatedAt: at,
  };
  return { payment: withNextRevision(payment), absorbed, newOrderIds, isChanged: true };
}

/** What the rules for a payment depend on: whether the stage takes live or test payments, and the payment account. */
export interface PaymentTerms {
  readonly mode: 'live' | 'test';
  readonly account: PaymentAccount;
}

/**
 * Decides whether a payment may earn. The decision does not depend on its member.
 *
 * @returns the reason why it may not earn; undefined when it may
 */
export function reasonAgainst(payment: Payment, { mode, account }: PaymentTerms): PaymentReason | undefined {
  const { faults, currency, capturedAmount, eligibleAmount, netEligibleAmount } = paymentPosition(payment.book);
  if (faults.includes('too_many_entries')) return 'too_many_entries';
  if (faults.includes('captured_in_two_currencies')) return 'captured_in_two_currencies';
  if (capturedAmount === 0) return 'not_captured';
  if (currency !== 'USD') return 'currency_without_rate';
  if (capturedAmount > maximumAmountCents) return 'amount_too_large';
  const connected = timeOf(account.connectedAt) - timingMs.paymentTime;
  if (timeOf(countingTime(payment, mode)) < connected) return 'paid_before_connection';
  // A payment whose order the merchant may also report is rewarded even if nothing is left, and then reversed. So the
  // result does not depend on which report arrives first.
  const isOfOrder = payment.book.orderExternalIds.length > 0;
  return netEligibleAmount === 0 && (eligibleAmount === 0 || !isOfOrder) ? 'nothing_left' : undefined;
}

/**
 * The time that campaigns are evaluated for: when the payment was made. The time of a test payment may be invented:
 * test clocks move it, and recorded events are sent again. A test payment whose time is far from its arrival counts at
 * its arrival.
 *
 * Platforms report whole seconds. Such a time counts at the end of its second, so that a campaign that started within
 * the second rewards the payment.
 */
export function countingTime({ countsAt, book, createdAt }: Payment, mode: PaymentTerms['mode']): string {
  const paidAt = timeOf(book.paidAt ?? createdAt);
  const isInvented = mode === 'test' && Math.abs(paidAt - timeOf(createdAt)) > timingMs.paymentTime;
  const at = isInvented ? timeOf(createdAt) : paidAt;
  return countsAt ?? new Date(at % secondMs === 0 ? at + secondMs - 1 : at).toISOString();
}

/** The key of a payment that names no order: a purchase of its own. */
const ownKeyOf = ({ platform, account, paymentId }: Pick<Payment, 'platform' | 'account' | 'paymentId'>) =>
  `${platform}:${account}:${paymentId}`;

/** The keys under which a payment, or a payment that became part of it, may have been a purchase of its own. */
export const ownKeysOf = (payment: Payment): string[] =>
  [payment.paymentId, ...(payment.formerUuids.length > 0 ? payment.book.aliases : [])].map((paymentId) =>
    ownKeyOf({ ...payment, paymentId }),
  );

/** The external transaction of the purchase that a payment belongs to: its order, or a purchase of its own. */
export const purchaseIdOf = (payment: Payment): string => payment.book.orderExternalIds[0] ?? ownKeyOf(payment);

/** The keys of purchases of their own under which a payment was settled before it named its order. */
export function earlierKeysOf({ platform, account, awards, spent }: Payment): string[] {
  const settled = [
    ...awards.map((award) => award.externalTransactionId),
    ...(spent ? [spent.externalTransactionId] : []),
  ];
  return settled.filter((id) => id.startsWith(`${platform}:${account}:`));
}
