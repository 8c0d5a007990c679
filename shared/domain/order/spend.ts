import * as z from 'zod/mini';
import type { AwardClaim } from '../award/claim.ts';
import type { KnownPurchase } from '../award/decide-awards.ts';
import { moneyOf, netCents } from '../campaign/evaluation/reward.ts';
import type { Membership, SpendTotal } from '../member/member.ts';
import { Cents } from '../money.ts';
import type { Payment } from '../payment/payment.ts';
import { eligibleCents, type Order } from './order.ts';

/** Money that a user spent at a merchant. The external id identifies the purchase at this merchant. */
export interface Spent {
  readonly userId: number;
  readonly merchantId: number;
  readonly externalTransactionId: string;
  readonly amountCents: number;
  /** The total of the purchase, if points may have paid for a part of it. Absent if money paid the whole amount. */
  readonly totalCents?: number;
  /** The program in which the purchase earned; absent if it earned nothing. */
  readonly programId?: number | undefined;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * The spend of a claim: its amount, if the token is spent. Transfers, payments with points and awards for other events
 * than purchases have no spend. {@link spendOfOrder} counts awarded orders, and {@link spendOfPayment} counts awarded
 * payments.
 */
export function spendOfClaim(claim: AwardClaim): Spent | undefined {
  const { state, kind, isTransfer, orderUuid, issuedAt, spentAt = issuedAt } = claim;
  if (state !== 'SPENT' || kind !== 'PURCHASE' || isTransfer || orderUuid !== undefined) return undefined;
  if (paysWithPoints(claim)) return undefined;
  const { userId, merchantId, externalTransactionId, amountCents, partnerId: programId } = claim;
  return { userId, merchantId, externalTransactionId, amountCents, totalCents: amountCents, programId, at: spentAt };
}

/** Whether a claim pays for a purchase with points. A transfer pays for nothing. */
export const paysWithPoints = ({ rewards, isTransfer }: Pick<AwardClaim, 'rewards' | 'isTransfer'>): boolean =>
  !isTransfer && rewards.some(({ type }) => type === 'REDEEM');

/** The fields from which the spend of an order, or of a payment, is computed. */
type SpendingOrder = Pick<
  Order,
  | 'state'
  | 'userId'
  | 'merchantId'
  | 'externalOrderId'
  | 'programId'
  | 'totalCents'
  | 'subtotalCents'
  | 'discountCents'
  | 'createdAt'
>;
type SpendingPayment = Pick<Payment, 'userId' | 'merchantId' | 'spent' | 'programId' | 'countsAt'>;

/**
 * The spend of an order: its eligible amount, if its awards are decided. A REJECTED order counts too. A campaign that
 * requires a total spend rejects every order until the total is reached, so rejected orders have to count towards the
 * total.
 */
export function spendOfOrder(order: SpendingOrder): Spent | undefined {
  if (order.state === 'PENDING') return undefined;
  const { userId, merchantId, externalOrderId: externalTransactionId, createdAt: at } = order;
  const { totalCents, programId } = order;
  return { userId, merchantId, externalTransactionId, amountCents: eligibleCents(order), totalCents, programId, at };
}

/**
 * The spend of a payment of a payment platform: its eligible amount at the first decision about its awards. A payment
 * that earned nothing counts too, like a REJECTED order. Later captures do not change the spend. A payment platform
 * reports money only, so points pay for no part of this amount.
 */
export function spendOfPayment({
  userId,
  merchantId,
  spent,
  programId,
  countsAt: at,
}: SpendingPayment): Spent | undefined {
  if (userId === undefined || at === undefined || spent === undefined) return undefined;
  return { userId, merchantId, ...spent, programId, at };
}

/**
 * A returned part of an amount: `cents` of `ofCents`. The returned part of a payment can shrink, because its refunds
 * can fail. So it contains the `revision` of the payment. The returned parts of orders and tokens only grow.
 */
const Share = z.object({ cents: z.int(), ofCents: Cents, revision: z.optional(z.int()) });
type Share = z.infer<typeof Share>;

/**
 * The share of a payment that another payment has replaced. It has the highest revision, so no later report changes it.
 */
export const absorbedShare: Share = { cents: 0, ofCents: 0, revision: Number.MAX_SAFE_INTEGER };

/**
 * One external transaction of a merchant, from all of its reports: the money that the user spent, the part that was
 * paid with points, and the part that was returned. The spend totals of the user contain `countedCents` of it, for
 * every program in `partnerIds`.
 */
export const Purchase = z.object({
  merchantId: z.int(),
  externalTransactionId: z.string(),
  /** Increases by one with every change. 0 before the first change. */
  revision: z.int(),
  /** The first report of the purchase; absent while only points or refunds are known. */
  spent: z.optional(
    z.object({
      userId: z.int(),
      amountCents: Cents,
      totalCents: z.optional(Cents),
      programId: z.optional(z.int()),
      partnerIds: z.array(z.int()),
    }),
  ),
  countedCents: z._default(Cents, 0),
  /** The cents of the total that each completed redemption paid, under the UUID of one of its transactions. */
  paid: z._default(z.record(z.string(), Cents), {}),
  /** The returned part of the purchase as each source reports it: an order, a token, or a payment. */
  returned: z._default(z.record(z.string(), Share), {}),
  /** Whether the purchase was counted before amounts were recorded here. Its amount is unknown and stays counted. */
  isOfUnknownAmount: z.optional(z.boolean()),
});
export type Purchase = z.infer<typeof Purchase>;

/** The merchant's key of a purchase. */
export type PurchaseKey = Pick<Purchase, 'merchantId' | 'externalTransactionId'>;

/** A purchase about which nothing is known. */
export function newPurchase({ merchantId, externalTransactionId }: PurchaseKey): Purchase {
  return { merchantId, externalTransactionId, revision: 0, countedCents: 0, paid: {}, returned: {} };
}

/**
 * Records the money that was spent, and the program in which the purchase earned. Only the first report of the money
 * and the first report of the program count.
 */
export function withSpent(purchase: Purchase, spent: Spent, memberships: readonly Membership[]): Purchase {
  const { userId, amountCents, totalCents, programId, at } = spent;
  if (purchase.spent && purchase.spent.programId === undefined && programId !== undefined) {
    return { ...purchase, spent: { ...purchase.spent, programId } };
  }
  if (purchase.spent || purchase.isOfUnknownAmount) return purchase;
  const linked = memberships.filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(at));
  const partnerIds = linked.map(({ partnerId }) => partnerId);
  return {
    ...purchase,
    spent: {
      ...{ userId, amountCents, partnerIds },
      ...(totalCents !== undefined && { totalCents }),
      ...(programId !== undefined && { programId }),
    },
  };
}

/** Records that a redemption paid a part of the total. A refund of the redemption does not undo this. */
export function withPaid(purchase: Purchase, transactionUuid: string, cents: number): Purchase {
  const { paid } = purchase;
  return paid[transactionUuid] === cents ? purchase : { ...purchase, paid: { ...paid, [transactionUuid]: cents } };
}

/**
 * Records the returned part of a purchase: the total of all refunds and disputes so far, not only the last one. Failed
 * refunds and won disputes do not count. A run that read fewer refunds than another run, but writes later, changes
 * nothing.
 *
 * @param source the order or token whose refunds the merchant reports, or a payment (`payment:…`)
 */
export function withReturned(purchase: Purchase, source: string, share: Share): Purchase {
  const before = purchase.returned[source];
  const isNewer =
    share.revision === undefined
      ? share.cents > (before?.cents ?? 0)
      : before === undefined || share.revision > (before.revision ?? 0);
  return isNewer ? { ...purchase, returned: { ...purchase.returned, [source]: share } } : purchase;
}

/** What a decision about a purchase needs to know from the purchase's other reports. */
export function toKnownPurchase(purchase: Purchase): KnownPurchase {
  const { countedCents, spent } = purchase;
  return { paidCents: paidCentsOf(purchase), countedCents, partnerId: spent?.programId };
}

/** The cents of a purchase's total that were paid with points. */
export const paidCentsOf = ({ paid }: Pick<Purchase, 'paid'>): number =>
  Object.values(paid).reduce((sum, cents) => sum + cents, 0);

/**
 * How many cents of a claim's amount were paid with points, although the decision about the reward took them for money:
 * - For an order or a token, the claim's amount is the total of the purchase. The result is the cents paid with points
 *   that the decision did not subtract from this total.
 * - For a payment, the claim's amount is the money that the payment platform reported. The result is the amount by
 *   which this money exceeds the total minus the cents paid with points.
 *
 * @param order the order of the purchase, if it was reported. Without it, the total comes from the purchase
 */
export function unconsideredCents(
  { amountCents, paidCents: knownCents = 0, orderUuid }: Pick<AwardClaim, 'amountCents' | 'paidCents' | 'orderUuid'>,
  purchase: Pick<Purchase, 'paid' | 'spent'>,
  order: Pick<Order, 'uuid' | 'totalCents'> | undefined,
): number {
  const paidCents = paidCentsOf(purchase);
  const isOfPayment = orderUuid !== undefined && orderUuid !== order?.uuid;
  const totalCents = order?.totalCents ?? purchase.spent?.totalCents;
  if (!isOfPayment) return Math.min(amountCents - knownCents, paidCents - knownCents);
  return totalCents === undefined ? 0 : Math.min(amountCents, amountCents - (totalCents - paidCents));
}

/** A source of {@link withReturned} begins with this prefix if the source is a payment. */
const paymentPrefix = 'payment:';

/** The name of a payment among the sources of {@link withReturned}. */
export const sourceOfPayment = (uuid: string): string => `${paymentPrefix}${uuid}`;

/**
 * The money of a purchase that counts as spend: its amount, minus the part that was paid with points, minus the part
 * that was returned. The returned cents of all payments of the purchase are added up. Their sum is one share: of the
 * total minus the part that was paid with points. Each order and token has a share of its own. Merchant and payment
 * platform report the same refunds, so only the largest share counts.
 */
export function netSpendCents({ spent, paid, returned, countedCents, isOfUnknownAmount }: Purchase): number {
  if (!spent) return isOfUnknownAmount ? countedCents : 0;
  const { amountCents, totalCents } = spent;
  const paidCents = paidCentsOf({ paid });
  const money = totalCents === undefined ? amountCents : moneyOf(amountCents, totalCents, paidCents);
  const ofPayments = Object.entries(returned).filter(([source]) => source.startsWith(paymentPrefix));
  const ofMerchant = Object.entries(returned).filter(([source]) => !source.startsWith(paymentPrefix));
  const together = {
    cents: ofPayments.reduce((sum, [, { cents }]) => sum + cents, 0),
    ofCents: Math.max((totalCents ?? 0) - paidCents, ...ofPayments.map(([, { ofCents }]) => ofCents)),
  };
  const shares = [...ofMerchant.map(([, share]) => share), ...(ofPayments.length > 0 ? [together] : [])];
  const left = shares.map(({ cents, ofCents }) => netCents(money, { capturedCents: ofCents, refundedCents: cents }));
  return Math.min(money, ...left);
}

/** A changed purchase that is to be written, and what the change adds to the spend totals of the user. */
export interface CountedPurchase {
  readonly purchase: Purchase;
  readonly totals: readonly SpendTotal[];
}

/** Brings the spend totals of a purchase up to date. */
export function countSpend(purchase: Purchase): CountedPurchase {
  const { merchantId, spent, countedCents } = purchase;
  const net = netSpendCents(purchase);
  const spentCents = net - countedCents;
  const counted = { ...purchase, revision: purchase.revision + 1, countedCents: net };
  if (!spent || spentCents === 0) return { purchase: counted, totals: [] };
  const { userId, partnerIds } = spent;
  return { purchase: counted, totals: partnerIds.map((partnerId) => ({ userId, merchantId, partnerId, spentCents })) };
}
