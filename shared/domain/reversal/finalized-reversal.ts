import type { Charge, Refunds, RewardTransaction } from '../ledger/reward-transaction.ts';

/** What becomes of an original and its reversal by the program's answer. */

/** A reversal that the program confirmed, and how its original stands then. */
export interface ConfirmedReversal {
  readonly refunds: Refunds;
  /** Whether nothing of the original is left. */
  readonly isOver: boolean;
  /** With all that it gives back to limits of the member. */
  readonly reversal: RewardTransaction;
}

/**
 * How a transaction stands once the program confirmed one of its reversals. The one after which nothing is
 * left gives back whatever the transaction used of limits and nobody gave back: the event, above all. Which one
 * that is nobody knows before, for another one may be refused.
 */
export function afterReversal(original: RewardTransaction, reversal: RewardTransaction): ConfirmedReversal {
  const refunds = answered(original);
  const isOver = refunds.pendingReversals === 0 && isNothingLeft(original, refunds);
  const charges = isOver ? without(original.charges, refunds.givenBack) : reversal.charges;
  return {
    refunds: { ...refunds, givenBack: [...refunds.givenBack, ...charges] },
    isOver,
    reversal: { ...reversal, charges },
  };
}

/** How the original stands once the program refused one of its reversals: what that was to take is still there. */
export function afterRefusedReversal(original: RewardTransaction, reversal: RewardTransaction): Refunds {
  const refunds = answered(original);
  return {
    ...refunds,
    points: refunds.points - reversal.points,
    cashbackCents: refunds.cashbackCents - reversal.cashbackCents,
  };
}

function answered({ id, refunds }: RewardTransaction): Refunds {
  if (!refunds) throw new Error(`transaction ${id} has no reversals`);
  return { ...refunds, revision: refunds.revision + 1, pendingReversals: refunds.pendingReversals - 1 };
}

const isNothingLeft = (
  { points, cashbackCents }: RewardTransaction,
  taken: Pick<Refunds, 'points' | 'cashbackCents'>,
) => taken.points >= points && taken.cashbackCents >= cashbackCents;

/** What is left of charges after others, each of its limit and period. */
function without(charges: readonly Charge[], others: readonly Charge[]): Charge[] {
  return charges.flatMap((charge) => {
    const same = others.filter(({ limitId, period }) => limitId === charge.limitId && period === charge.period);
    const amount = same.reduce((left, other) => left - other.amount, charge.amount);
    return amount > 0 ? [{ ...charge, amount }] : [];
  });
}
