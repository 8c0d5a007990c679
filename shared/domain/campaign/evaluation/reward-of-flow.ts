import type { ActionOutcome, FlowOutcome, LimitOutcome } from './decision.ts';
import { mostOf } from './limits-of-flow.ts';
import { amountOf, type Base } from './rates.ts';

/**
 * What a flow comes to for an amount, once it is known who is rewarded and at what rate. Evaluation asks
 * for the whole amount, reversal for what is left of it after a refund: both by the same terms.
 */
export type Terms = Pick<FlowOutcome, 'multipliers' | 'limits'> & {
  readonly actions: readonly Pick<ActionOutcome, 'kind' | 'baseRate'>[];
};

/** Points or cents of cashback, one for each action: without any maximum, and with all of them. */
export interface FlowReward {
  readonly whole: readonly number[];
  readonly capped: readonly number[];
}

/** The reward of an amount. Maximums of dollars cap what counts, those of points what comes of it. */
export function rewardOf({ actions, multipliers, limits }: Terms, base: Base): FlowReward {
  const factors = multipliers.filter(({ matched }) => matched).map(({ factorBp }) => factorBp);
  const amountsOf = (counted: Base) => actions.map((action) => amountOf(action, counted, factors));
  const whole = amountsOf(base);
  const counted = countedOf(base, limits);
  let pointsLeft = mostOf('POINTS', limits);

  const capped = (counted.amount === base.amount ? whole : amountsOf(counted)).map((amount, position) => {
    if (actions[position]?.kind !== 'AWARD_POINTS') return amount;
    // Several actions share what the limits leave, in their order.
    const points = Math.min(amount, pointsLeft);
    pointsLeft -= points;
    return points;
  });
  return { whole, capped };
}

/** What counts of an amount: of what is spent, no more than the maximums of dollars. */
export function countedOf(base: Base, limits: readonly LimitOutcome[]): Base {
  return base.kind === 'CENTS' ? { ...base, amount: Math.min(base.amount, mostOf('DOLLARS', limits)) } : base;
}
