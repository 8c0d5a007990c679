import type { Decision, FlowOutcome } from '../campaign/evaluation/decision.ts';
import { netRewards, type RefundedAmount } from '../campaign/evaluation/reward.ts';
import type { Charge, Refunds, RewardTransaction, TransactionState } from '../ledger/reward-transaction.ts';
import type { ReversalPolicy } from '../partnership.ts';

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

/** A transaction with everything that its reversal depends on. */
export interface ReversedLeg {
  readonly original: RewardTransaction;
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
 * Whether an operator reversed everything that was left, and the program has not answered yet. If the program rejects
 * the reversal, the member keeps the amount, and the refunds that waited are applied.
 */
export const awaitsOperatorReversal = ({ refunds }: RewardTransaction): boolean =>
  refunds?.isVoid === true && refunds.pendingReversals > 0;

/**
 * Whether the reversal takes at most the points that the member has. The points of a payment always come back in full.
 */
export const isBounded = ({ original, policy }: Pick<ReversedLeg, 'original' | 'policy'>) =>
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

  const amounts = netRewards(flow, decision.facts, captured);
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
