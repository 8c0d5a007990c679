import type { TransactionIds } from '../award/reservation.ts';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { netRewards, type RefundedAmount } from '../campaign/evaluation/net-reward.ts';
import type { Charge, Refunds, RewardTransaction, TransactionState } from '../ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../partnership.ts';

/** A refund of what a transaction was given for, as far as the transaction is concerned. */
export interface RefundOfTransaction {
  readonly uuid: string;
  /** What was refunded: the order. The refund is announced under it. */
  readonly refundedUuid: string;
  /** When it came, which is before it is applied. ISO 8601. */
  readonly cameAt: string;
  readonly amountCents: number;
  /** All that was captured, which refunds are a part of. */
  readonly capturedCents: number;
}

const noRefunds: Refunds = {
  revision: 0,
  refundedCents: 0,
  points: 0,
  cashbackCents: 0,
  pendingReversals: 0,
  givenBack: [],
  waiting: [],
};

/**
 * What a refund means for a transaction in a state: `wait` for the program's answer, `reverse` it, or
 * `nothing`, for it never gave anything.
 *
 * @throws Error while a token may still make something of the transaction
 */
export function onRefund(state: TransactionState): 'wait' | 'reverse' | 'nothing' {
  switch (state) {
    case 'INITIATED':
      throw new Error('the token of the transaction may still be spent');
    case 'PENDING':
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

/** The transaction's refunds with one more that waits; itself when that one does already. */
export function withWaiting({ refunds = noRefunds }: RewardTransaction, refund: RefundOfTransaction): Refunds {
  if (isWaiting(refunds, refund)) return refunds;
  const { uuid: refundUuid, refundedUuid } = refund;
  return { ...refunds, revision: refunds.revision + 1, waiting: [...refunds.waiting, { refundUuid, refundedUuid }] };
}

const isWaiting = ({ waiting }: Refunds, { uuid }: RefundOfTransaction) =>
  waiting.some(({ refundUuid }) => refundUuid === uuid);

/** What is known of a transaction when one of its refunds is applied. */
export interface ToReverse {
  readonly original: RewardTransaction;
  readonly refund: RefundOfTransaction;
  /** The decision that the original came from: nothing is looked up in the campaign, which may have changed. */
  readonly decision: Decision;
  readonly policy: ReversalPolicy;
  /** Of the program whose points they are. */
  readonly availablePoints: number;
}

/** What a refund takes back of a transaction. */
interface Taken {
  readonly points: number;
  readonly cashbackCents: number;
  /** Of the points, those that are not there any more. */
  readonly shortfallPoints: number;
  /** Points that are given back to limits of the member, each to the period that they were used in. */
  readonly charges: readonly Charge[];
}

/** What becomes of a transaction by a refund: how its refunds stand then, and the reversal; null when nothing goes back. */
export interface AppliedRefund {
  readonly refunds: Refunds;
  readonly reversal: RewardTransaction | null;
  /** What the member has available, where no more than that may be taken; null where that does not matter. */
  readonly available: number | null;
}

/**
 * Applies a refund to a completed transaction: what it gave, less what was taken back before, less what
 * the net amount would earn goes back. In whatever order refunds come, and into however many parts they
 * are cut, they take the same together; all of them take all.
 *
 * @param nextIds gives fresh identifiers for the reversal
 */
export function applyRefund(given: ToReverse, now: Date, nextIds: () => TransactionIds): AppliedRefund {
  const { original, refund } = given;
  const { refunds, reversal, available } = untouched(given);
  const taken = takenBy(given, { capturedCents: refund.capturedCents, refundedCents: refunds.refundedCents });
  if (taken.points === 0 && taken.cashbackCents === 0) return { refunds, reversal, available };
  return {
    refunds: {
      ...refunds,
      points: refunds.points + taken.points,
      cashbackCents: refunds.cashbackCents + taken.cashbackCents,
      pendingReversals: refunds.pendingReversals + 1,
    },
    reversal: reversalOf(original, refund, taken, now, nextIds),
    available: isBounded(given) ? given.availablePoints : null,
  };
}

/** What becomes of a transaction by a refund that takes nothing of it: it is counted. */
function untouched({ original, refund }: ToReverse): AppliedRefund {
  const before = original.refunds ?? noRefunds;
  const refundedCents = Math.min(refund.capturedCents, before.refundedCents + refund.amountCents);
  return { refunds: { ...before, revision: before.revision + 1, refundedCents }, reversal: null, available: null };
}

/** What becomes of a transaction by a refund that was applied to it, alone or with its other leg. */
export interface AppliedTo extends AppliedRefund {
  readonly original: RewardTransaction;
}

/**
 * The same for one transaction, or for both legs of a transfer: these are taken back as a whole, or neither
 * is. Where not all of the points are there any more that came in, those that left do not come back: the
 * member would have both.
 */
export function applyRefundTogether(legs: readonly ToReverse[], now: Date, nextIds: () => TransactionIds): AppliedTo[] {
  const applied = legs.map((leg) => ({ original: leg.original, ...applyRefund(leg, now, nextIds) }));
  if (legs.length === 1) return applied;
  if (!applied.every(({ reversal }) => reversal && reversal.shortfallPoints === undefined))
    return legs.map((leg) => ({ original: leg.original, ...untouched(leg) }));
  return applied.map((one, position) => {
    const otherLegId = applied.find((_, other) => other !== position)?.reversal?.id;
    return { ...one, reversal: one.reversal && { ...one.reversal, ...(otherLegId !== undefined && { otherLegId }) } };
  });
}

const nothing: Taken = { points: 0, cashbackCents: 0, shortfallPoints: 0, charges: [] };

function takenBy(given: ToReverse, captured: RefundedAmount): Taken {
  const { original, refund, decision, policy, availablePoints } = given;
  const before = original.refunds ?? noRefunds;
  const isTooLate = policy === 'only_pending' && !isWaiting(before, refund) && !cameBeforeCompletion(refund, original);
  if (original.type === 'EARN' && isTooLate) return nothing;

  const kept = keptOf(original, decision, captured);
  const points = Math.max(0, original.points - before.points - kept.points);
  const cashbackCents = Math.max(0, original.cashbackCents - before.cashbackCents - kept.cashbackCents);
  return {
    points,
    cashbackCents,
    shortfallPoints: isBounded(given) ? points - Math.min(points, Math.max(0, availablePoints)) : 0,
    charges: pointsGivenBack(original, decision, points),
  };
}

/** It may have come when the order was not even rewarded, and been handled only now. */
function cameBeforeCompletion({ cameAt }: RefundOfTransaction, { completedAt }: RewardTransaction): boolean {
  return completedAt !== undefined && Date.parse(cameAt) < Date.parse(completedAt);
}

/** Whether no more may be taken than the member has. What it paid always comes back. */
const isBounded = ({ original, policy }: ToReverse) => original.type === 'EARN' && policy !== 'unlimited';

type Worth = Pick<RewardTransaction, 'points' | 'cashbackCents'>;

/** What a transaction would have been worth for the net amount; of a transfer, whose parts go together, all or nothing. */
function keptOf(original: RewardTransaction, decision: Decision, captured: RefundedAmount): Worth {
  const flow = decision.flows.find(({ flowId }) => flowId === original.flowId);
  const position = flow?.actions.findIndex(({ actionId }) => actionId === original.actionId) ?? -1;
  const action = flow?.actions[position];
  if (!flow || !action) throw new Error(`the snapshot of transaction ${original.id} does not know its action`);

  const kept = netRewards(flow, decision.facts, captured)[position] ?? 0;
  if (action.transfer) return kept === 0 ? { points: 0, cashbackCents: 0 } : original;
  return action.kind === 'AWARD_CASHBACK' ? { points: 0, cashbackCents: kept } : { points: kept, cashbackCents: 0 };
}

/** Points are given back as they are taken back; the event with the last of them, once that is confirmed. */
function pointsGivenBack(original: RewardTransaction, { flows }: Decision, points: number): Charge[] {
  const limits = flows.find(({ flowId }) => flowId === original.flowId)?.limits ?? [];
  return original.charges.flatMap((charge) => {
    const counts = limits.find(({ limitId }) => limitId === charge.limitId)?.unit;
    const amount = counts === 'POINTS' ? Math.min(charge.amount, points) : 0;
    return amount === 0 ? [] : [{ ...charge, amount }];
  });
}

/** A reversal is a transaction of its own, of the original's type and campaign, and pending as any other. */
function reversalOf(
  original: RewardTransaction,
  refund: RefundOfTransaction,
  { points, cashbackCents, shortfallPoints, charges }: Taken,
  now: Date,
  nextIds: () => TransactionIds,
): RewardTransaction {
  const {
    refunds: _refunds,
    programReference: _reference,
    failureReason: _reason,
    completedAt: _completed,
    otherLegId: _otherLeg,
    isRegistration: _registration,
    ...same
  } = original;
  const at = now.toISOString();
  return {
    ...same,
    ...nextIds(),
    state: 'PENDING',
    amountCents: refund.amountCents,
    points,
    cashbackCents,
    charges: [...charges],
    reverses: { id: original.id, uuid: original.uuid, refundUuid: refund.uuid },
    ...(shortfallPoints > 0 && { shortfallPoints }),
    createdAt: at,
    updatedAt: at,
  };
}
