import { type Facts, type Usage, usageName } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { limitUnits, type Measure } from '../document/kinds/limits.ts';
import { actionKind, type Limit, limitKind } from '../document/parts.ts';
import type { ActionOutcome, FlowOutcome, FlowResult, LimitOutcome } from './decision.ts';

/**
 * The amounts of a flow and what limits make of them. Evaluation works out the whole amount, a refund the
 * amount that it leaves: both by the same terms.
 */
export type Terms = Pick<FlowOutcome, 'multipliers' | 'limits'> & {
  readonly actions: readonly Pick<ActionOutcome, 'kind' | 'baseRate'>[];
};

/** Points or cents of cashback, one amount for each action. */
export interface FlowReward {
  /** Without any maximum. */
  readonly whole: readonly number[];
  /** With every maximum. */
  readonly capped: readonly number[];
}

/** What the actions of a flow are worked out from. */
export function baseOf({ trigger, amountCents, transferPoints }: Facts): Base {
  if (transferPoints !== null) return { kind: 'POINTS', amount: transferPoints };
  return trigger.type === 'SPEND' ? { kind: 'CENTS', amount: amountCents ?? 0 } : { kind: 'EVENT', amount: 1 };
}

/** Works out the reward of a base. Maximums of dollars cap the base, maximums of points cap the result. */
export function rewardOf({ actions, multipliers, limits }: Terms, base: Base): FlowReward {
  const factors = multipliers.filter(({ matched }) => matched).map(({ factorBp }) => factorBp);
  const amountsOf = (counted: Base) => actions.map((action) => amountOf(action, counted, factors));
  const whole = amountsOf(base);
  const counted = countedOf(base, limits);
  let pointsLeft = allowanceOf('POINTS', limits);

  const capped = (counted.amount === base.amount ? whole : amountsOf(counted)).map((amount, position) => {
    const action = actions[position];
    if (!action || !isPointsAward(action)) return amount;
    // Several actions share the allowance, in their order.
    const points = Math.min(amount, pointsLeft);
    pointsLeft -= points;
    return points;
  });
  return { whole, capped };
}

/** Whether an action awards points. Only such actions share maximums of points. */
export function isPointsAward({ kind }: Pick<ActionOutcome, 'kind'>): boolean {
  const { effect, unit } = actionKind(kind);
  return effect === 'award' && unit === 'points';
}

/** The largest exact number. A greater amount becomes this, which is more than any reward may be. */
const largest = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Works out what one action comes to.
 *
 * @param factors of every multiplier that matched, in ten-thousandths
 * @returns points, or cents of cashback
 */
export function amountOf(
  { kind, baseRate: rate }: Pick<ActionOutcome, 'kind' | 'baseRate'>,
  base: Base,
  factors: readonly number[],
): number {
  const amount = actionKind(kind).amount({ base, rate, factors });
  return Number(amount < largest ? amount : largest);
}

/** The part of a base that counts: of money, no more than the maximums of dollars allow. */
export function countedOf(base: Base, limits: readonly LimitOutcome[]): Base {
  return base.kind === 'CENTS' ? { ...base, amount: Math.min(base.amount, allowanceOf('DOLLARS', limits)) } : base;
}

/** How much of what limits count a reward is. */
export function measureOf(actions: readonly ActionOutcome[], amounts: readonly number[], base: Base): Measure {
  const points = actions.reduce((sum, { kind, transfer }, position) => {
    if (actionKind(kind).unit !== 'points') return sum;
    return sum + (transfer?.points ?? amounts[position] ?? 0);
  }, 0);
  return {
    events: amounts.some((amount) => amount > 0) ? 1 : 0,
    points,
    cents: base.kind === 'CENTS' ? base.amount : null,
  };
}

/** Limits before they are applied, with what was used of them in the period of the event. */
export function limitsAt(limits: readonly Limit[], facts: Facts, usage: Usage): LimitOutcome[] {
  return limits.map((limit) => {
    const { id: limitId, kind, bound, unit, amount } = limit;
    const period = limitKind(kind).period(limit, facts);
    const used = period === null ? 0 : (usage[usageName(limitId, period)] ?? 0);
    return { limitId, kind, bound, unit, amount, period, used, effect: 'NONE', charge: 0 };
  });
}

/** What all maximums of a unit leave; infinity when there is none. */
function allowanceOf(unit: LimitOutcome['unit'], limits: readonly LimitOutcome[]): number {
  return limits.reduce(
    (least, limit) => (limit.unit === unit && limit.bound === 'MAXIMUM' ? Math.min(least, leftOf(limit)) : least),
    Number.POSITIVE_INFINITY,
  );
}

/** What a maximum leaves. A limit may have been lowered below what was used: then it leaves nothing. */
const leftOf = ({ amount, used }: LimitOutcome): number => Math.max(0, amount - used);

/** A reward before limits. */
export interface UnlimitedReward {
  /** What it is without any maximum. */
  readonly asked: Measure;
  /** What it is with every maximum. */
  readonly given: Measure;
  /** Whether a limit may make it smaller. A payment or a transfer happens in full or not at all. */
  readonly mayBeCapped: boolean;
}

/** Applies limits to a reward. The first limit that refuses it gives the reason. */
export function applyLimits(
  limits: readonly LimitOutcome[],
  reward: UnlimitedReward,
): { readonly refusal: FlowResult | undefined; readonly limits: LimitOutcome[] } {
  const refusals = limits.map((limit) => refusalBy(limit, reward));
  const refusal = refusals.find((reason) => reason !== undefined);
  const isGiven = refusal === undefined && reward.given.events > 0;
  return {
    refusal,
    limits: limits.map((limit, position) => ({
      ...limit,
      effect: refusals[position] ? 'REFUSED' : isCapped(limit, reward) ? 'CAPPED' : 'NONE',
      charge: isGiven && limit.period !== null ? (measured(limit, reward.given) ?? 0) : 0,
    })),
  };
}

function refusalBy(limit: LimitOutcome, { asked, given, mayBeCapped }: UnlimitedReward): FlowResult | undefined {
  const amount = measured(limit, asked);
  if (amount === null) return undefined;
  if (limit.bound === 'MINIMUM') return amount < limit.amount ? 'BELOW_MINIMUM' : undefined;
  if (amount <= leftOf(limit)) return undefined;
  // A used-up limit of points does not refuse the cashback of the same flow.
  const isUsedUp = limit.period !== null && leftOf(limit) === 0 && (given.events === 0 || !mayBeCapped);
  if (limit.unit === 'EVENTS' || isUsedUp) return 'LIMIT_REACHED';
  return mayBeCapped ? undefined : 'ABOVE_MAXIMUM';
}

/** Whether this limit made the reward smaller. Another one may have left less. */
function isCapped(limit: LimitOutcome, { asked, given }: UnlimitedReward): boolean {
  if (limit.bound === 'MINIMUM') return false;
  return (measured(limit, asked) ?? 0) > leftOf(limit) && measured(limit, given) === leftOf(limit);
}

const measured = ({ unit }: LimitOutcome, measure: Measure): number | null => limitUnits[unit].measure(measure);
