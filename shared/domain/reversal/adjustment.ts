import type { TransactionIds } from '../award/claim.ts';
import type { RefundedAmount } from '../campaign/evaluation/reward.ts';
import { sumCharges } from '../ledger/finalize.ts';
import { type Charge, noRefunds, type Refunds, type RewardTransaction } from '../ledger/reward-transaction.ts';
import {
  type AppliedRefunds,
  awaitsOperatorReversal,
  isBounded,
  netRewardOf,
  type RefundedLeg,
  returnedCharges,
  timestamps,
  withoutOutcome,
} from './reversal.ts';

/** What is left of a payment after refunds and disputes, as far as it counts for one transaction. */
export interface PaymentLeft {
  readonly paymentUuid: string;
  /** When the refund or dispute that changed the payment arrived. ISO 8601. */
  readonly receivedAt: string;
  /** The amount for which the reward was decided, and the part of it that refunds and disputes have returned so far. */
  readonly amount: RefundedAmount;
  /** The total that was refunded and disputed. The transaction records this total. */
  readonly returnedCents: number;
}

/** A transaction of a payment, with everything that its adjustment depends on. */
export interface AdjustedLeg extends Omit<RefundedLeg, 'refunds'> {
  readonly left: PaymentLeft;
}

/**
 * Adjusts a completed transaction to the amount that is left of its payment. Only the returned total matters, not the
 * parts and sequence of refunds and disputes. If a refund failed or a dispute was won, the total became smaller. Then a
 * restoration gives back what reversals took.
 *
 * @returns undefined when nothing has changed; `wait` while the program has not answered for an earlier reversal
 */
export function adjustReward(
  leg: AdjustedLeg,
  now: Date,
  nextIds: () => TransactionIds,
): AppliedRefunds | 'wait' | undefined {
  const { original, left } = leg;
  const before = original.refunds ?? noRefunds;
  const change = changeOf(leg);
  if (change === undefined && before.refundedCents === left.returnedCents) return undefined;
  // Waits for the program's answer to an operator's reversal: if the program rejects that reversal, the payment's
  // change counts. A refund that came too late for the policy `only_pending` never counts, so it does not wait.
  const restores = left.returnedCents < before.refundedCents;
  if (awaitsOperatorReversal(original) && (restores || !isTooLate(leg))) return 'wait';
  const { paymentUuid, returnedCents: refundedCents } = left;
  const counted: Refunds = { ...before, revision: before.revision + 1, refundedCents, paymentUuid };
  if (change === undefined) return { original, refunds: counted, reversal: null, available: null };
  if (before.pendingReversals > 0) return 'wait';

  const { isRestoration, points, cashbackCents } = change;
  const sign = isRestoration ? -1 : 1;
  const { shortfallPoints, available } = takenBy(leg, change);
  return {
    original,
    refunds: {
      ...counted,
      points: before.points + sign * points,
      cashbackCents: before.cashbackCents + sign * cashbackCents,
      pendingReversals: 1,
    },
    reversal: {
      ...withoutOutcome(original),
      ...{ points, cashbackCents, charges: chargesOf(leg, change) },
      state: 'PENDING',
      amountCents: Math.abs(left.returnedCents - before.refundedCents),
      reverses: { id: original.id, uuid: original.uuid, refundUuid: left.paymentUuid },
      ...(isRestoration && { isRestoration }),
      ...(shortfallPoints > 0 && { shortfallPoints }),
      ...nextIds(),
      ...timestamps(now),
    },
    available,
  };
}

/** The points or cents that a reversal takes from a reward, or that a restoration gives back. */
interface RewardChange {
  readonly isRestoration: boolean;
  readonly points: number;
  readonly cashbackCents: number;
}

/**
 * Computes the change that a reward needs; undefined when it needs none. Under `only_pending`, a credited reward is not
 * reversed.
 */
function changeOf(leg: AdjustedLeg): RewardChange | undefined {
  const { original, decision, left } = leg;
  const before = original.refunds ?? noRefunds;
  if (before.isVoid) return undefined;
  const net = netRewardOf(original, decision, left.amount);
  const points = original.points - before.points - net.points;
  const cashbackCents = original.cashbackCents - before.cashbackCents - net.cashbackCents;
  const isRestoration = points < 0 || cashbackCents < 0;
  if ((points === 0 && cashbackCents === 0) || (!isRestoration && isTooLate(leg))) return undefined;
  return { isRestoration, points: Math.abs(points), cashbackCents: Math.abs(cashbackCents) };
}

/** Computes the shortfall of a change: points that the change would take, but that are not available. */
function takenBy(leg: AdjustedLeg, { isRestoration, points }: RewardChange) {
  const isTaking = isRestoration === (leg.original.type === 'REDEEM');
  if (!isTaking || !isBoundedBy(leg)) return { shortfallPoints: 0, available: null };
  const { availablePoints: available } = leg;
  return { shortfallPoints: points - Math.min(points, Math.max(0, available)), available };
}

/**
 * Whether a change takes at most the points that the member has. Always true when the transaction is a payment with
 * points: a restoration then takes the paid points again.
 */
const isBoundedBy = (leg: AdjustedLeg) => leg.original.type === 'REDEEM' || isBounded(leg);

function isTooLate({ original, policy, left }: AdjustedLeg): boolean {
  if (original.type !== 'EARN' || policy !== 'only_pending') return false;
  const { completedAt, refunds = noRefunds } = original;
  const hasWaited = refunds.waiting.some(
    ({ refundedUuid, receivedUntil }) => refundedUuid === left.paymentUuid && left.receivedAt <= receivedUntil,
  );
  return !hasWaited && (completedAt === undefined || left.receivedAt >= completedAt);
}

/**
 * The charges of a change. A charge in points is at most the points of the change. A restoration makes all other
 * charges again in full.
 */
function chargesOf({ original, decision }: AdjustedLeg, { isRestoration, points }: RewardChange): Charge[] {
  if (!isRestoration) return returnedCharges(original, decision, points);
  const limits = decision.flows.find(({ flowId }) => flowId === original.flowId)?.limits ?? [];
  return sumCharges(original.refunds?.returned ?? []).flatMap((charge) => {
    const isInPoints = limits.find(({ limitId }) => limitId === charge.limitId)?.unit === 'POINTS';
    const amount = isInPoints ? Math.min(charge.amount, points) : charge.amount;
    return amount > 0 ? [{ ...charge, amount }] : [];
  });
}

/**
 * Adds a payment to the waiting refunds of its transaction. They wait until the program has answered for
 * the transaction and for its earlier reversals.
 */
export function withWaitingPayment(
  { refunds = noRefunds }: RewardTransaction,
  { paymentUuid, receivedAt }: PaymentLeft,
): Refunds {
  const known = refunds.waiting.find(({ refundedUuid }) => refundedUuid === paymentUuid);
  if (known && receivedAt <= known.receivedUntil) return refunds;
  const others = refunds.waiting.filter((one) => one !== known);
  const waiting = [...others, { refundedUuid: paymentUuid, receivedUntil: receivedAt, isPayment: true }];
  return { ...refunds, revision: refunds.revision + 1, waiting };
}
