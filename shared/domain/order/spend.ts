import type { AwardClaim } from '../award/claim.ts';
import type { Membership, SpendTotal } from '../member/member.ts';
import type { Payment } from '../payment/payment.ts';
import { eligibleCents, type Order } from './order.ts';

/** Money that a user spent at a merchant. The external id identifies the purchase at this merchant. */
export interface Spent {
  readonly userId: number;
  readonly merchantId: number;
  readonly externalTransactionId: string;
  readonly amountCents: number;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * The spend of a claim: its amount, once the token is spent. Transfers and events have no spend. {@link spendOfOrder} counts
 * awarded orders, and {@link spendOfPayment} counts awarded payments.
 */
export function spendOfClaim(claim: AwardClaim): Spent | undefined {
  const { state, kind, isTransfer, orderUuid, issuedAt, spentAt = issuedAt } = claim;
  if (state !== 'SPENT' || kind !== 'PURCHASE' || isTransfer || orderUuid !== undefined) return undefined;
  const { userId, merchantId, externalTransactionId, amountCents } = claim;
  return { userId, merchantId, externalTransactionId, amountCents, at: spentAt };
}

/**
 * The spend of an order: its eligible amount, once its awards are decided. A REJECTED order counts too. Otherwise a
 * member could never reach the total spend that a campaign requires.
 */
export function spendOfOrder(order: Order): Spent | undefined {
  if (order.state === 'PENDING') return undefined;
  const { userId, merchantId, externalOrderId: externalTransactionId, createdAt: at } = order;
  return { userId, merchantId, externalTransactionId, amountCents: eligibleCents(order), at };
}

/**
 * The spend of a payment of a payment platform: its eligible amount at the first decision about its awards. A payment that
 * earned nothing counts too, like a REJECTED order. Later captures and refunds do not change the spend.
 */
export function spendOfPayment({ userId, merchantId, spent, countsAt: at }: Payment): Spent | undefined {
  if (userId === undefined || at === undefined || spent === undefined) return undefined;
  return { userId, merchantId, ...spent, at };
}

/** The additions to the user's spend totals: one for each program that was linked at the time of the spend. */
export function spendTotals(
  { userId, merchantId, amountCents, at }: Spent,
  memberships: readonly Membership[],
): SpendTotal[] {
  return memberships
    .filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(at))
    .map(({ partnerId }) => ({ userId, merchantId, partnerId, spentCents: amountCents }));
}
