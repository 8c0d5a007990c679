import { timingMs } from '../../contracts/limits.ts';
import type { AwardClaim } from '../award/claim.ts';
import type { RewardTransaction } from '../ledger/reward-transaction.ts';
import type { Order } from '../order/order.ts';
import { type Refund, type Refundable, withStates } from '../order/refund.ts';
import type { Payment } from '../payment/payment.ts';
import { paymentPosition } from '../payment/payment-position.ts';
import type { TriggerEvent } from '../trigger/trigger-event.ts';

/** Work that has not ended. A consumer or a loyalty program normally ends it within seconds. */
export interface PendingWork {
  /** `order 0190…` */
  readonly subject: string;
  /** The member of this work; null if the work has no member. */
  readonly userId: number | null;
  readonly state: string;
  /** ISO 8601. */
  readonly since: string;
}

/** An order that has no awards yet; undefined when it has been decided. */
export function pendingOrder({ uuid, userId, state, createdAt: since }: Order): PendingWork | undefined {
  return state === 'PENDING' ? { subject: `order ${uuid}`, userId, state, since } : undefined;
}

/** A payment with captured money that no settlement has read; undefined when its awards are decided. */
export function pendingPayment({
  uuid,
  userId,
  reason,
  transactionIds,
  book,
  updatedAt: since,
}: Payment): PendingWork | undefined {
  const isDecided = transactionIds.length > 0 || (reason !== undefined && reason !== 'not_captured');
  const { capturedAmount } = paymentPosition(book);
  return isDecided || capturedAmount === 0
    ? undefined
    : { subject: `payment ${uuid}`, userId: userId ?? null, state: 'RECEIVED', since };
}

/** The refunds of an order or a claim that are not applied to all transactions yet. */
export const pendingRefunds = (refunded: Refundable, refunds: readonly Refund[]): PendingWork[] =>
  withStates(
    refunded,
    refunds.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1)),
  )
    .filter(({ state }) => state === 'PENDING')
    .map(({ uuid, refundedUuid, state, createdAt: since }) => ({
      ...{ subject: `refund ${uuid} of ${refundedUuid}`, userId: refunded.userId, state, since },
    }));

/** A trigger event that has no awards yet; undefined when it has been decided. */
export function pendingTriggerEvent({
  uuid,
  userId,
  state,
  receivedAt: since,
}: Pick<TriggerEvent, 'uuid' | 'userId' | 'state' | 'receivedAt'>): PendingWork | undefined {
  return state === 'RECEIVED' ? { subject: `trigger event ${uuid}`, userId, state, since } : undefined;
}

/** The items from which pending work is found. */
export interface WorkBooks {
  readonly transactions: readonly RewardTransaction[];
  readonly claims: readonly AwardClaim[];
  /** Orders, payments, refunds and trigger events. */
  readonly pending: readonly PendingWork[];
}

/**
 * Finds work that is pending for too long, the oldest first: orders, payments, refunds, trigger events, transactions without an
 * answer of the program, rewards that were not reviewed, and expired tokens that were not released.
 */
export function findOverdueWork({ transactions, claims, pending }: WorkBooks, now: Date): PendingWork[] {
  const isOlder = (milliseconds: number) => (work: PendingWork) =>
    now.getTime() - Date.parse(work.since) > milliseconds;
  return [
    ...pending.filter(isOlder(timingMs.toleratedPending)),
    ...transactions.flatMap(pendingTransaction).filter(isOlder(timingMs.toleratedPending)),
    ...transactions.flatMap(heldReward).filter(isOlder(timingMs.toleratedReview)),
    ...claims.flatMap(liveToken).filter(isOlder(timingMs.toleratedExpiredToken)),
  ].sort((one, other) => Date.parse(one.since) - Date.parse(other.since));
}

/**
 * A partner's own program may take days to answer. So a transaction of such a program counts as pending only from the
 * time at which its next attempt is due. A reward that an operator released counts as pending from its release on.
 */
function pendingTransaction({ id, userId, state, createdAt, posting, review }: RewardTransaction): PendingWork[] {
  return state === 'PENDING'
    ? [{ subject: `transaction ${id}`, userId, state, since: posting?.dueAt ?? review?.end?.at ?? createdAt }]
    : [];
}

/** A reward that waits for a review. */
function heldReward({ id, userId, state, review, updatedAt }: RewardTransaction): PendingWork[] {
  return state === 'HELD' ? [{ subject: `transaction ${id}`, userId, state, since: review?.heldAt ?? updatedAt }] : [];
}

/** A token counts as pending from its expiry, which may be in the future. */
function liveToken({ externalTransactionId, merchantId, userId, state, expiresAt: since }: AwardClaim): PendingWork[] {
  const subject = `claim ${externalTransactionId} of organisation ${merchantId}`;
  return state === 'ISSUED' ? [{ subject, userId, state, since }] : [];
}
