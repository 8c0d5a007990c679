import * as z from 'zod/mini';
import type { AwardClaim } from '../award/claim.ts';
import type { KnownPurchase } from '../award/decide-awards.ts';
import { moneyOf } from '../campaign/evaluation/reward.ts';
import type { Membership, SpendTotal } from '../member/member.ts';
import { Cents } from '../money.ts';
import type { Order } from '../order/order.ts';
import { eligibleCents } from '../order/purchase-details.ts';
import type { Payment } from '../payment/payment.ts';

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
  /** The campaign of a token; absent for orders and payments. */
  readonly campaignId?: number;
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
  const { userId, merchantId, externalTransactionId, amountCents, partnerId: programId, campaignId } = claim;
  const amounts = { amountCents, totalCents: amountCents };
  return { userId, merchantId, externalTransactionId, ...amounts, programId, campaignId, at: spentAt };
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
 * The spend of a payment of a payment platform: its eligible amount, once its awards are decided. A payment that earned
 * nothing counts too, like a REJECTED order. A payment platform reports money only, so points pay for no part of this
 * amount.
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

/** A returned part of an amount, as earlier releases recorded it. */
const Share = z.object({ cents: z.int(), ofCents: Cents, revision: z.optional(z.int()) });

/**
 * The head of a purchase's book. A purchase is one external transaction of a merchant; its book is everything that was
 * reported of it: tokens, the order, payments, refunds, redemptions. The spend totals of the user contain
 * `countedCents` of the purchase, for every program in `partnerIds`.
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
  /** The returned part as earlier releases recorded it. It counts until the purchase is settled. */
  returned: z._default(z.record(z.string(), Share), {}),
  /** Whether the purchase was counted before amounts were recorded here. Its amount is unknown and stays counted. */
  isOfUnknownAmount: z.optional(z.boolean()),
  /** The money of the purchase that is left, as the last settlement computed it; absent before the first one. */
  netCents: z.optional(Cents),
  /**
   * The statements that the last settlement read, as one text. A run that reads older statements fails to write, because
   * the run that read newer ones has changed the head.
   */
  stated: z.optional(z.string()),
  /** Whether that settlement left nothing to move or to wait for. */
  isSettled: z.optional(z.boolean()),
  /** The order that settlements have read; absent if there was none. */
  orderUuid: z.optional(z.string()),
  /** The campaigns with a spent claim of the purchase; absent if nobody has collected them yet. */
  campaignIds: z.optional(z.array(z.int())),
  /** The transactions of the awards that a settlement wrote or found. */
  transactionIds: z._default(z.array(z.int()), []),
  /** The program in which the purchase earned; absent while it earned nothing. */
  programId: z.optional(z.int()),
  /** Payments that name no order, or that a claim names. Other payments are found by the order that they name. */
  paymentUuids: z._default(z.array(z.string()), []),
  /** The keys under which payments of the purchase were settled before they named the order. */
  aliases: z._default(z.array(z.string()), []),
  /** The purchase that this one became part of. Nothing else of this head counts any more. */
  aliasOf: z.optional(z.string()),
  /** The money for which campaigns were last asked for an award. They are asked again when it grows. */
  decidedCents: z.optional(Cents),
  /** When the awards of the purchase began to wait for a live token; absent while they do not wait. */
  awaitsSince: z.optional(z.string()),
  /** The points or cents of growth that limits did not leave room for, by campaign, flow and action. */
  forgone: z._default(z.record(z.string(), z.int()), {}),
  updatedAt: z.optional(z.string()),
});
export type Purchase = z.infer<typeof Purchase>;

/** The merchant's key of a purchase. */
export type PurchaseKey = Pick<Purchase, 'merchantId' | 'externalTransactionId'>;

/** A purchase about which nothing is known. */
export function newPurchase({ merchantId, externalTransactionId }: PurchaseKey): Purchase {
  const lists = { transactionIds: [], paymentUuids: [], aliases: [] };
  return {
    merchantId,
    externalTransactionId,
    revision: 0,
    countedCents: 0,
    paid: {},
    returned: {},
    forgone: {},
    ...lists,
  };
}

/**
 * Records the money that was spent, and the program in which the purchase earned. Only the first report of the money
 * and the first report of the program count.
 */
export function withSpent(purchase: Purchase, spent: Spent, memberships: readonly Membership[]): Purchase {
  const { userId, amountCents, totalCents, programId, campaignId, at } = spent;
  if (purchase.spent && purchase.spent.programId === undefined && programId !== undefined) {
    return { ...purchase, spent: { ...purchase.spent, programId } };
  }
  if (purchase.spent || purchase.isOfUnknownAmount) return purchase;
  const linked = memberships.filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(at));
  const partnerIds = linked.map(({ partnerId }) => partnerId);
  return {
    ...purchase,
    // A new head knows the claim of its token. Every other claim is announced by its own.
    ...(purchase.revision === 0 && { campaignIds: campaignId === undefined ? [] : [campaignId] }),
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
 * Joins the head of a payment's own purchase into the head of the order that the payment names. The spend of the member
 * stays the same: it moves from one head to the other.
 *
 * @param from undefined if nothing was recorded under the key
 */
export function joinHeads(
  into: Purchase,
  key: string,
  from: Purchase | undefined,
): { readonly into: Purchase; readonly from: Purchase | undefined } {
  const united = <Value extends number | string>(one: readonly Value[] = [], other: readonly Value[] = []) => [
    ...new Set([...one, ...other]),
  ];
  const { spent = from?.spent, programId = from?.programId, decidedCents = from?.decidedCents } = into;
  const joined: Purchase = {
    ...into,
    aliases: united(united(into.aliases, [key]), from?.aliases),
    campaignIds: united(into.campaignIds, from?.campaignIds),
    transactionIds: united(into.transactionIds, from?.transactionIds),
    paymentUuids: united(into.paymentUuids, from?.paymentUuids),
    paid: { ...from?.paid, ...into.paid },
    forgone: { ...from?.forgone, ...into.forgone },
    netCents: into.netCents ?? from?.countedCents ?? 0,
    ...(spent && { spent }),
    ...(programId !== undefined && { programId }),
    ...(decidedCents !== undefined && { decidedCents }),
  };
  return { into: joined, from: from && { ...from, aliasOf: into.externalTransactionId, netCents: 0 } };
}

/** What a decision about a purchase needs to know from the purchase's other reports. */
export function toKnownPurchase(purchase: Purchase): KnownPurchase {
  const { countedCents, programId, spent } = purchase;
  return { paidCents: paidCentsOf(purchase), countedCents, partnerId: programId ?? spent?.programId };
}

/** The cents of a purchase's total that were paid with points. */
export const paidCentsOf = ({ paid }: Pick<Purchase, 'paid'>): number =>
  Object.values(paid).reduce((sum, cents) => sum + cents, 0);

/**
 * The money of a purchase that counts as spend: what the last settlement left. Before the first settlement, it is the
 * amount without the part that points paid.
 */
export function netSpendCents(purchase: Purchase): number {
  const { netCents, spent, paid, returned, countedCents, isOfUnknownAmount } = purchase;
  if (!spent) return isOfUnknownAmount ? countedCents : 0;
  if (netCents !== undefined) return netCents;
  if (Object.keys(returned).length > 0) return countedCents;
  const { amountCents, totalCents } = spent;
  return totalCents === undefined ? amountCents : moneyOf(amountCents, totalCents, paidCentsOf({ paid }));
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
