import { validityMs } from '../../contracts/limits.ts';
import type { TransactionIds } from '../award/claim.ts';
import type { Decision, FlowOutcome } from '../campaign/evaluation/decision.ts';
import { netRewards, type RefundedAmount } from '../campaign/evaluation/reward.ts';
import {
  type Charge,
  noRefunds,
  type Refunds,
  type RewardTransaction,
  type TransactionState,
} from '../ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../partnership.ts';

/** A refund of an order, as one transaction of the order sees it. */
export interface RefundOfTransaction {
  readonly uuid: string;
  /**
   * The UUID of the refunded order, or of the first transaction of a refunded token. The event `refund_received` has it
   * as `entityId`.
   */
  readonly refundedUuid: string;
  /** When the refund arrived. It is applied later. ISO 8601. */
  readonly receivedAt: string;
  readonly amountCents: number;
  /** The captured amount. Refunds are parts of this amount. */
  readonly capturedCents: number;
}

/**
 * Decides from the state of a transaction what a refund does.
 * - `wait`: the program has to answer first, or an operator has to end a review.
 * - `reverse`: the transaction is reversed.
 * - `nothing`: the transaction never moved points or cents.
 *
 * @throws Error while the token of the transaction may still be spent
 */
export function decideOnRefund(state: TransactionState): 'wait' | 'reverse' | 'nothing' {
  switch (state) {
    case 'INITIATED':
      throw new Error('the token of the transaction may still be spent');
    case 'PENDING':
    case 'HELD':
    case 'ERROR':
      return 'wait';
    case 'COMPLETED':
    case 'REVERSED':
      return 'reverse';
    case 'FAILED':
    case 'CANCELLED':
      return 'nothing';
  }
}

/** Refunds of one order that are applied to a transaction together, sorted by the time of their arrival. */
export type RefundsTogether = readonly [RefundOfTransaction, ...RefundOfTransaction[]];

/**
 * Adds waiting refunds to the refunds of a transaction. Returns the same object when all of them are waiting already.
 */
export function withWaiting({ refunds = noRefunds }: RewardTransaction, arrived: RefundsTogether): Refunds {
  if (arrived.every((refund) => isWaiting(refunds, refund))) return refunds;
  const [{ refundedUuid }] = arrived;
  const receivedUntil = arrived.map(({ receivedAt }) => receivedAt).reduce(later);
  const others = refunds.waiting.filter((one) => one.refundedUuid !== refundedUuid);
  return { ...refunds, revision: refunds.revision + 1, waiting: [...others, { refundedUuid, receivedUntil }] };
}

const later = (one: string, other: string) => (one < other ? other : one);

const isWaiting = ({ waiting }: Refunds, { refundedUuid, receivedAt }: RefundOfTransaction) =>
  waiting.some((one) => one.refundedUuid === refundedUuid && receivedAt <= one.receivedUntil);

/** Everything that decides what refunds do to one transaction. */
export interface RefundedLeg {
  readonly original: RewardTransaction;
  readonly refunds: RefundsTogether;
  /**
   * The decision about the original. The campaign itself is not read, because it may have changed since the decision.
   */
  readonly decision: Decision;
  readonly policy: ReversalPolicy;
  /** The member's available points in the program of the original. */
  readonly availablePoints: number;
  readonly heldPoints: number;
}

/** The effect of refunds on one transaction. */
export interface AppliedRefunds {
  readonly original: RewardTransaction;
  readonly refunds: Refunds;
  /** Null when nothing is reversed. */
  readonly reversal: RewardTransaction | null;
  /** The available points that bound the reversal; null where the policy, or the kind of transaction, sets no bound. */
  readonly available: number | null;
}

/**
 * Applies refunds to a completed transaction, or to both legs of a transfer. Each transaction gets at most one reversal
 * for all these refunds. The reversed amount is the reward minus earlier reversals minus the net reward. So it makes no
 * difference in how many parts, and in which sequence, refunds arrive: the sum of all reversals is the same, and a full
 * refund reverses the whole reward.
 *
 * Either both legs of a transfer are reversed in full, or none. If the member has spent some of the points that arrived
 * in one program, the points that left the other program are not returned. Otherwise the member would have the same
 * points in both programs.
 *
 * @param nextIds returns fresh identifiers for a reversal
 */
export function applyRefunds(
  legs: readonly RefundedLeg[],
  now: Date,
  nextIds: () => TransactionIds,
): readonly AppliedRefunds[] {
  const applied = legs.map((leg) => applyToLeg(leg, now, nextIds));
  if (legs.length === 1) return applied;
  if (!applied.every(({ reversal }) => reversal && reversal.shortfallPoints === undefined))
    return legs.map(countRefunds);
  return applied.map((one, position) => {
    const otherLegId = applied.find((_, other) => other !== position)?.reversal?.id;
    return { ...one, reversal: one.reversal && { ...one.reversal, ...(otherLegId !== undefined && { otherLegId }) } };
  });
}

/**
 * Whether refunds of a transfer have to wait. They wait while a token holds the points that arrived, because held
 * points may become available again. A member can hold points again and again, so refunds wait at most for the validity
 * of one token.
 */
export function awaitsHeldPoints(legs: readonly RefundedLeg[], now: Date): boolean {
  const reversed = legs.map((leg) => ({ leg, part: reversedBy(leg) }));
  if (legs.length === 1 || reversed.some(({ part }) => !part)) return false;
  return reversed.some(({ leg: { refunds, availablePoints, heldPoints }, part }) => {
    const isHeld = part && part.shortfallPoints > 0 && part.points <= availablePoints + heldPoints;
    return isHeld && now.getTime() < Date.parse(refunds[0].receivedAt) + validityMs.transactionToken;
  });
}

/**
 * Whether an operator reversed everything that was left, and the program has not answered yet. If the program rejects
 * the reversal, the member keeps the amount, and the refunds that waited are applied.
 */
export const awaitsOperatorReversal = ({ refunds }: RewardTransaction): boolean =>
  refunds?.isVoid === true && refunds.pendingReversals > 0;

/** Whether refunds have to wait for the program's answer to the reversal of an operator. */
export const awaitsAnswer = (legs: readonly RefundedLeg[]): boolean =>
  legs.some((leg) => awaitsOperatorReversal(leg.original) && leg.refunds.some((refund) => reversesReward(leg, refund)));

function applyToLeg(leg: RefundedLeg, now: Date, nextIds: () => TransactionIds): AppliedRefunds {
  const counted = countRefunds(leg);
  const reversed = reversedBy(leg);
  if (!reversed) return counted;
  const { original, refunds } = counted;
  return {
    original,
    refunds: {
      ...refunds,
      points: refunds.points + reversed.points,
      cashbackCents: refunds.cashbackCents + reversed.cashbackCents,
      pendingReversals: refunds.pendingReversals + 1,
    },
    reversal: { ...newReversal(leg, reversed), ...nextIds(), ...timestamps(now) },
    available: isBounded(leg) ? leg.availablePoints : null,
  };
}

/** The effect of refunds that reverse nothing: only their amounts are counted. */
function countRefunds(leg: RefundedLeg): AppliedRefunds {
  const { original, refunds: arrived } = leg;
  const before = original.refunds ?? noRefunds;
  const { refundedCents } = afterRefunds(leg, arrived);
  const refunds = { ...before, revision: before.revision + 1, refundedCents };
  return { original, refunds, reversal: null, available: null };
}

/** The refunded amount of a transaction after more refunds. */
function afterRefunds(
  { original, refunds: [{ capturedCents }] }: RefundedLeg,
  arrived: readonly RefundOfTransaction[],
): RefundedAmount {
  const before = original.refunds?.refundedCents ?? 0;
  return { capturedCents, refundedCents: Math.min(capturedCents, before + sumOf(arrived)) };
}

const sumOf = (refunds: readonly RefundOfTransaction[]) =>
  refunds.reduce((sum, { amountCents }) => sum + amountCents, 0);

/**
 * Whether a refund reverses a part of the reward. Under `only_pending`, a refund that arrived after the completion
 * reverses nothing.
 */
function reversesReward({ original, policy }: RefundedLeg, refund: RefundOfTransaction): boolean {
  if (original.type === 'REDEEM' || policy !== 'only_pending') return true;
  return isWaiting(original.refunds ?? noRefunds, refund) || arrivedBeforeCompletion(refund, original);
}

/** A purchase that points paid for, in full or in part, after its reward was decided. */
export interface PaidWithPoints {
  /** The UUID of the redemption. */
  readonly uuid: string;
  /** What points have paid of the purchase since its reward was decided: the sum of all redemptions. */
  readonly paid: NonNullable<Refunds['paid']>;
  /** The captured amount of the transaction. Refunds are parts of it. */
  readonly capturedCents: number;
}

/**
 * Reverses the part of a completed reward that was given for an amount that points paid. The net reward follows from
 * the totals of redemptions and refunds, so their sequence makes no difference. No money was refunded. So the reversal
 * policy decides one thing only: under `unlimited`, the balance may become negative.
 *
 * @returns undefined when the paid part is recorded already
 */
export function applyPaid(
  leg: Omit<RefundedLeg, 'refunds'>,
  { uuid, paid, capturedCents }: PaidWithPoints,
  now: Date,
  nextIds: () => TransactionIds,
): AppliedRefunds | undefined {
  const before = leg.original.refunds ?? noRefunds;
  const earlierCents = before.paid?.cents ?? 0;
  if (earlierCents >= paid.cents) return undefined;
  const refunds: Refunds = { ...before, revision: before.revision + 1, paid };
  const original = { ...leg.original, refunds };
  const unchanged = { original: leg.original, refunds, reversal: null, available: null };
  // If a payment of a payment platform has already adjusted the reward, it adjusts the reward again. Then only the paid
  // part is recorded here.
  if (before.paymentUuid !== undefined) return unchanged;
  const captured = { capturedCents, refundedCents: Math.min(capturedCents, before.refundedCents) };
  const reversed = reversedTo(leg, netRewardOf(original, leg.decision, captured));
  if (!reversed) return unchanged;
  const { shortfallPoints, ...amounts } = reversed;
  return {
    original: leg.original,
    refunds: {
      ...refunds,
      points: refunds.points + amounts.points,
      cashbackCents: refunds.cashbackCents + amounts.cashbackCents,
      pendingReversals: refunds.pendingReversals + 1,
    },
    reversal: {
      ...withoutOutcome(leg.original),
      ...amounts,
      state: 'PENDING',
      amountCents: paid.cents - earlierCents,
      reverses: { id: leg.original.id, uuid: leg.original.uuid, refundUuid: uuid },
      ...(shortfallPoints > 0 && { shortfallPoints }),
      ...nextIds(),
      ...timestamps(now),
    },
    available: isBounded(leg) ? leg.availablePoints : null,
  };
}

/** The part of a transaction that refunds reverse. */
type Reversed = Pick<RewardTransaction, 'points' | 'cashbackCents' | 'charges'> & {
  /** Points that are not available: spent, or held by a token. */
  readonly shortfallPoints: number;
};

/** Computes the part that refunds reverse; undefined when they reverse nothing. */
function reversedBy(leg: RefundedLeg): Reversed | undefined {
  const { original, refunds, decision } = leg;
  const last = refunds.findLastIndex((refund) => reversesReward(leg, refund));
  if (last < 0) return undefined;

  return reversedTo(leg, netRewardOf(original, decision, afterRefunds(leg, refunds.slice(0, last + 1))));
}

/**
 * Computes the part of a transaction that has to be reversed to leave a net reward; undefined when nothing has to be
 * reversed.
 */
function reversedTo(
  leg: Omit<RefundedLeg, 'refunds'>,
  net: Pick<RewardTransaction, 'points' | 'cashbackCents'>,
): Reversed | undefined {
  const { original, decision, availablePoints } = leg;
  const before = original.refunds ?? noRefunds;
  const points = Math.max(0, original.points - before.points - net.points);
  const cashbackCents = Math.max(0, original.cashbackCents - before.cashbackCents - net.cashbackCents);
  if (points === 0 && cashbackCents === 0) return undefined;
  return {
    points,
    cashbackCents,
    shortfallPoints: isBounded(leg) ? points - Math.min(points, Math.max(0, availablePoints)) : 0,
    charges: returnedCharges(original, decision, points),
  };
}

/** Whether a refund arrived before the transaction was completed. Such a refund may be applied after the completion. */
function arrivedBeforeCompletion({ receivedAt }: RefundOfTransaction, { completedAt }: RewardTransaction): boolean {
  return completedAt !== undefined && Date.parse(receivedAt) < Date.parse(completedAt);
}

/**
 * Whether the reversal takes at most the points that the member has. The points of a payment always come back in full.
 */
export const isBounded = ({ original, policy }: Pick<RefundedLeg, 'original' | 'policy'>) =>
  original.type === 'EARN' && policy !== 'unlimited';

const noReward = { points: 0, cashbackCents: 0 };

/** The reward of a transaction that is left after the refunds in `captured`; for a transfer, all of it or nothing. */
export function netRewardOf(
  original: RewardTransaction,
  decision: Decision,
  captured: RefundedAmount,
): Pick<RewardTransaction, 'points' | 'cashbackCents'> {
  const flow = decision.flows.find(({ flowId }) => flowId === original.flowId);
  const position = flow?.actions.findIndex(({ actionId }) => actionId === original.actionId) ?? -1;
  const action = flow?.actions[position];
  if (!flow || !action) throw new Error(`the snapshot of transaction ${original.id} lacks its action`);

  const amounts = netRewards(flow, decision.facts, captured, original.refunds?.paid);
  const net = amounts[position] ?? 0;
  if (action.transfer) return net === 0 ? noReward : original;
  if (original.type === 'REDEEM') return { points: net, cashbackCents: cashbackOf(flow, amounts) };
  return action.kind === 'AWARD_CASHBACK' ? { ...noReward, cashbackCents: net } : { ...noReward, points: net };
}

/** The cashback that a flow gives for a payment with points. The transaction of the payment contains it. */
const cashbackOf = ({ actions }: FlowOutcome, amounts: readonly number[]): number =>
  actions.reduce((sum, { kind }, position) => sum + (kind === 'AWARD_CASHBACK' ? (amounts[position] ?? 0) : 0), 0);

/**
 * The charges that a reversal returns: those in points, at most the reversed points. The charge that counts the event
 * is not among them: it returns when the program confirms the last reversal.
 */
export function returnedCharges(original: RewardTransaction, { flows }: Decision, points: number): Charge[] {
  const limits = flows.find(({ flowId }) => flowId === original.flowId)?.limits ?? [];
  return original.charges.flatMap((charge) => {
    const unit = limits.find(({ limitId }) => limitId === charge.limitId)?.unit;
    const amount = unit === 'POINTS' ? Math.min(charge.amount, points) : 0;
    return amount === 0 ? [] : [{ ...charge, amount }];
  });
}

/** Makes the reversal. It is a separate, pending transaction with the type and the campaign of its original. */
function newReversal(
  { original, refunds: arrived }: RefundedLeg,
  { shortfallPoints, ...reversed }: Reversed,
): RewardTransaction {
  return {
    ...withoutOutcome(original),
    ...reversed,
    state: 'PENDING',
    amountCents: sumOf(arrived),
    reverses: { id: original.id, uuid: original.uuid, refundUuid: arrived[0].uuid },
    ...(shortfallPoints > 0 && { shortfallPoints }),
  };
}

/** The fields of a transaction that its reversals share. */
export function withoutOutcome(original: RewardTransaction) {
  const {
    refunds: _refunds,
    programReference: _reference,
    posting: _posting,
    counted: _counted,
    review: _review,
    failureReason: _reason,
    completedAt: _completed,
    otherLegId: _otherLeg,
    sharesChargesWith: _sharing,
    isRegistration: _registration,
    ...same
  } = original;
  return same;
}

export const timestamps = (now: Date) => ({ createdAt: now.toISOString(), updatedAt: now.toISOString() });
