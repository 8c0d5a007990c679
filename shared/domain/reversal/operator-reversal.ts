import type { TransactionIds } from '../award/claim.ts';
import { plainError } from '../errors.ts';
import { noRefunds, type RewardTransaction } from '../ledger/reward-transaction.ts';
import {
  type AppliedRefunds,
  isBounded,
  type ReversedLeg,
  returnedCharges,
  timestamps,
  withoutOutcome,
} from './reversal.ts';

/** Reversals that an operator decides, without a refund of money. */

/** The operator's decision: its UUID, the reason, and the operator. */
export interface ReversalCause {
  readonly uuid: string;
  readonly reason: string;
  /** The proven identity of the operator; null if it is not known. */
  readonly operator: string | null;
}

/** An operator cannot reverse the transaction. The message is the reason, as a sentence without a full stop. */
export class NotReversibleError extends plainError('NotReversibleError', 'not reversible') {}

/**
 * Reverses what refunds and earlier reversals left of a completed transaction, or of both legs of a transfer. Points
 * that are not available become a shortfall. A transfer is reversed completely or not at all.
 *
 * After that, refunds and payments of the same purchase do not change the transaction.
 *
 * @param nextIds returns fresh identifiers for a reversal
 * @throws NotReversibleError
 */
export function reverseRest(
  legs: readonly ReversedLeg[],
  cause: ReversalCause,
  { now, nextIds }: { readonly now: Date; readonly nextIds: () => TransactionIds },
): readonly AppliedRefunds[] {
  for (const { original } of legs) checkReversible(original);
  const applied = legs.map((leg) => reverseLeg(leg, cause, { now, nextIds }));
  if (legs.length === 1) return applied;
  if (applied.some(({ reversal }) => reversal?.shortfallPoints !== undefined)) {
    throw new NotReversibleError('the member spent points that the transfer moved, so the transfer stays');
  }
  return applied.map((one, position) => {
    const otherLegId = applied.find((_, other) => other !== position)?.reversal?.id;
    return { ...one, reversal: one.reversal && { ...one.reversal, ...(otherLegId !== undefined && { otherLegId }) } };
  });
}

/** What is left of a reward after all reversals, pending ones included. */
const restOf = ({ points, cashbackCents, refunds = noRefunds }: RewardTransaction) => ({
  points: points - refunds.points,
  cashbackCents: cashbackCents - refunds.cashbackCents,
});

function checkReversible(original: RewardTransaction): void {
  const { id, state, reverses } = original;
  if (reverses) throw new NotReversibleError(`transaction ${id} is a reversal of transaction ${reverses.id}`);
  if (state !== 'COMPLETED' && state !== 'REVERSED') {
    throw new NotReversibleError(`transaction ${id} is ${state}: only a COMPLETED transaction can be reversed`);
  }
  const { points, cashbackCents } = restOf(original);
  if (points <= 0 && cashbackCents <= 0) {
    throw new NotReversibleError(`nothing is left of transaction ${id}: reversals cover all of it`);
  }
  // A pending reversal may be a restoration. If this reversal were made and the program then rejected the restoration,
  // the same points would be reversed twice.
  if ((original.refunds?.pendingReversals ?? 0) > 0) {
    throw new NotReversibleError(`the program has to answer an earlier reversal of transaction ${id} first`);
  }
}

function reverseLeg(
  leg: ReversedLeg,
  { uuid: refundUuid, reason, operator }: ReversalCause,
  { now, nextIds }: { readonly now: Date; readonly nextIds: () => TransactionIds },
): AppliedRefunds {
  const { original, decision, availablePoints } = leg;
  const before = original.refunds ?? noRefunds;
  const { points, cashbackCents } = restOf(original);
  const shortfallPoints = isBounded(leg) ? points - Math.min(points, Math.max(0, availablePoints)) : 0;
  const ids = nextIds();
  return {
    original,
    refunds: {
      ...before,
      revision: before.revision + 1,
      points: before.points + points,
      cashbackCents: before.cashbackCents + cashbackCents,
      pendingReversals: before.pendingReversals + 1,
      isVoid: true,
      voidedBy: ids.id,
    },
    reversal: {
      ...withoutOutcome(original),
      ...{ points, cashbackCents, charges: returnedCharges(original, decision, points) },
      state: 'PENDING',
      // The operator returns no money.
      amountCents: 0,
      reverses: { id: original.id, uuid: original.uuid, refundUuid },
      reversalReason: reason,
      ...(operator !== null && { reversalOperator: operator }),
      ...(shortfallPoints > 0 && { shortfallPoints }),
      ...ids,
      ...timestamps(now),
    },
    available: isBounded(leg) ? availablePoints : null,
  };
}
