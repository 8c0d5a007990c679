import type { AwardClaim } from '../award/claim.ts';
import type { Membership, SpendTotal } from '../member/member.ts';
import { eligibleCents, type Order } from './order.ts';

/** Something that a user spent at a merchant; by its external id it is told from everything else spent there. */
export interface Spent {
  readonly userId: number;
  readonly merchantId: number;
  readonly externalTransactionId: string;
  readonly amountCents: number;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * What a purchase tells to have been spent: all of it, once its token was. Nothing where no money was
 * spent, nor where an order was rewarded: that tells it itself.
 */
export function spentInPurchase(claim: AwardClaim): Spent | undefined {
  const { state, kind: occasion, isTransfer, orderUuid, issuedAt, spentAt = issuedAt } = claim;
  if (state !== 'SPENT' || occasion !== 'PURCHASE' || isTransfer || orderUuid !== undefined) return undefined;
  const { userId, merchantId, externalTransactionId, amountCents } = claim;
  return { userId, merchantId, externalTransactionId, amountCents, at: spentAt };
}

/**
 * What an order tells to have been spent: as much as may earn, once it is decided what it earned. An order
 * that earned nothing counts as well, or else a campaign that asks for total spend might never begin.
 */
export function spentInOrder(order: Order): Spent | undefined {
  if (order.state === 'PENDING') return undefined;
  const { userId, merchantId, externalOrderId: externalTransactionId, createdAt: at } = order;
  return { userId, merchantId, externalTransactionId, amountCents: eligibleCents(order), at };
}

/** What it adds to the totals of its user: one of each program whose account was linked by then. */
export function spendTotals(
  { userId, merchantId, amountCents, at }: Spent,
  memberships: readonly Membership[],
): SpendTotal[] {
  return memberships
    .filter(({ createdAt }) => Date.parse(createdAt) <= Date.parse(at))
    .map(({ partnerId }) => ({ userId, merchantId, partnerId, spentCents: amountCents }));
}
