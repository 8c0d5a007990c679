import { actionKind, conditionKind } from '../document/campaign.ts';
import { type Facts, type Usage, usageName } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { limitUnits, type Measure } from '../document/kinds/limits.ts';
import type { ActionOutcome, FlowOutcome, FlowResult, GroupOutcome, LimitOutcome } from './decision.ts';
import type { PreparedLimit } from './prepare.ts';

/**
 * The terms that decide the amounts of a flow. Evaluation applies them to the full base, a refund to the net base.
 */
export type Terms = Pick<FlowOutcome, 'multipliers' | 'limits'> & {
  readonly actions: readonly Pick<ActionOutcome, 'kind' | 'baseRate'>[];
};

/** Points or cents of cashback, one amount for each action. */
export interface FlowReward {
  /** The amounts before any maximum is applied. */
  readonly uncapped: readonly number[];
  /** The amounts after every maximum is applied. */
  readonly capped: readonly number[];
}

/**
 * Returns the base of a flow's actions. `countedCents` is the amount that this flow rewards instead of the whole amount
 * of the event.
 */
export function baseOf(
  { trigger, amountCents, transferPoints }: Facts,
  { countedCents }: Pick<FlowOutcome, 'countedCents'>,
): Base {
  if (transferPoints !== null) return { kind: 'POINTS', amount: transferPoints };
  if (countedCents !== undefined) return { kind: 'CENTS', amount: countedCents };
  return trigger.type === 'SPEND' ? { kind: 'CENTS', amount: amountCents ?? 0 } : { kind: 'EVENT', amount: 1 };
}

/** Calculates the reward of a base. Maximums of dollars cap the base, maximums of points cap the result. */
export function calculateReward({ actions, multipliers, limits }: Terms, base: Base): FlowReward {
  const factors = multipliers.filter(({ matched }) => matched).map(({ factorBp }) => factorBp);
  const amountsOf = (cappedBase: Base) => actions.map((action) => calculateAmount(action, cappedBase, factors));
  const uncapped = amountsOf(base);
  if (limits.length === 0) return { uncapped, capped: uncapped };
  const cappedBase = capBase(base, limits);
  let pointsLeft = smallestRemainder('POINTS', limits);

  const capped = (cappedBase.amount === base.amount ? uncapped : amountsOf(cappedBase)).map((amount, position) => {
    const action = actions[position];
    if (!action || !isPointsAward(action)) return amount;
    // The actions share the points that the maximums leave, in the order of the actions.
    const points = Math.min(amount, pointsLeft);
    pointsLeft -= points;
    return points;
  });
  return { uncapped, capped };
}

/** Whether an action awards points. Only such actions share maximums of points. */
function isPointsAward({ kind }: Pick<ActionOutcome, 'kind'>): boolean {
  const { effect, unit } = actionKind(kind);
  return effect === 'award' && unit === 'points';
}

/**
 * Calculates the amount of one action.
 *
 * @param factors of every multiplier that matched, in ten-thousandths
 * @returns points, or cents of cashback
 */
export function calculateAmount(
  { kind, baseRate: rate }: Pick<ActionOutcome, 'kind' | 'baseRate'>,
  base: Base,
  factors: readonly number[],
): number {
  return actionKind(kind).amount({ base, rate, factors });
}

/** Caps a base of money at the maximums of dollars. */
export function capBase(base: Base, limits: readonly LimitOutcome[]): Base {
  return base.kind === 'CENTS'
    ? { ...base, amount: Math.min(base.amount, smallestRemainder('DOLLARS', limits)) }
    : base;
}

/** Measures a reward in each unit that a limit can have. */
export function measureReward(actions: readonly ActionOutcome[], amounts: readonly number[], base: Base): Measure {
  const points = actions.reduce((sum, { kind, transfer }, position) => {
    if (actionKind(kind).unit !== 'points') return sum;
    return sum + (transfer?.points ?? amounts[position] ?? 0);
  }, 0);
  return {
    events: amounts.length === 0 || amounts.some((amount) => amount > 0) ? 1 : 0,
    points,
    cents: base.kind === 'CENTS' ? base.amount : null,
  };
}

/**
 * Makes the outcome of each limit. `used` is what the member has used of the limit in the period of the event.
 * {@link applyLimits} sets the effects and charges later.
 */
export function toLimitOutcomes(limits: readonly PreparedLimit[], facts: Facts, usage: Usage): LimitOutcome[] {
  return limits.map(({ limit, kind: { period: periodOf } }) => {
    const { id: limitId, kind, bound, unit, amount } = limit;
    const period = periodOf(limit, facts);
    const used = period === null ? 0 : (usage[usageName(limitId, period)] ?? 0);
    return { limitId, kind, bound, unit, amount, period, used, effect: 'NONE', charge: 0 };
  });
}

/** The smallest remainder of all maximums of a unit; infinity when no maximum has the unit. */
function smallestRemainder(unit: LimitOutcome['unit'], limits: readonly LimitOutcome[]): number {
  return limits.reduce(
    (least, limit) => (limit.unit === unit && limit.bound === 'MAXIMUM' ? Math.min(least, remainderOf(limit)) : least),
    Number.POSITIVE_INFINITY,
  );
}

/** The part of a maximum that is not used yet. It is 0 when an edit lowered the maximum below the use. */
const remainderOf = ({ amount, used }: LimitOutcome): number => Math.max(0, amount - used);

/** A reward before limits. */
export interface UnlimitedReward {
  /** Its size before any maximum is applied. */
  readonly uncapped: Measure;
  /** Its size after every maximum is applied. */
  readonly capped: Measure;
  /** Whether a limit may make the reward smaller. A payment or a transfer happens in full or not at all. */
  readonly mayBeCapped: boolean;
}

/**
 * Applies limits to a reward, and sets the effect and the charge of each limit.
 *
 * @returns the reason of the first limit that refuses; undefined if none refuses
 */
export function applyLimits(limits: readonly LimitOutcome[], reward: UnlimitedReward): FlowResult | undefined {
  const refusals = limits.map((limit) => findRefusal(limit, reward));
  const refusal = refusals.find((reason) => reason !== undefined);
  const isRewarded = refusal === undefined && reward.capped.events > 0;
  limits.forEach((limit, position) => {
    limit.effect = refusals[position] ? 'REFUSED' : isCapped(limit, reward) ? 'CAPPED' : 'NONE';
    limit.charge = isRewarded && limit.period !== null ? (sizeFor(limit, reward.capped) ?? 0) : 0;
  });
  return refusal;
}

function findRefusal(limit: LimitOutcome, { uncapped, capped, mayBeCapped }: UnlimitedReward): FlowResult | undefined {
  const amount = sizeFor(limit, uncapped);
  if (amount === null) return undefined;
  if (limit.bound === 'MINIMUM') return amount < limit.amount ? 'BELOW_MINIMUM' : undefined;
  if (amount <= remainderOf(limit)) return undefined;
  // A limit of points that is used up does not refuse the cashback of the same flow.
  const isUsedUp = limit.period !== null && remainderOf(limit) === 0 && (capped.events === 0 || !mayBeCapped);
  if (limit.unit === 'EVENTS' || isUsedUp) return 'LIMIT_REACHED';
  return mayBeCapped ? undefined : 'ABOVE_MAXIMUM';
}

/** Whether this limit reduced the reward. Of several maximums of one unit, only the smallest remainder reduces it. */
function isCapped(limit: LimitOutcome, { uncapped, capped }: UnlimitedReward): boolean {
  if (limit.bound === 'MINIMUM') return false;
  return (sizeFor(limit, uncapped) ?? 0) > remainderOf(limit) && sizeFor(limit, capped) === remainderOf(limit);
}

const sizeFor = ({ unit }: LimitOutcome, measure: Measure): number | null => limitUnits[unit].measure(measure);

/** The amount that a customer paid for a purchase, and the refunds since. */
export interface RefundedAmount {
  readonly capturedCents: number;
  readonly refundedCents: number;
}

/** Reduces an eligible amount by the refunded share of the payment; rounded down to the cent. */
export function netCents(eligibleCents: number, { capturedCents, refundedCents }: RefundedAmount): number {
  const left = Math.max(0, capturedCents - refundedCents);
  // The product of two amounts of ten million dollars does not fit into a double.
  return left === 0 ? 0 : Number((BigInt(eligibleCents) * BigInt(left)) / BigInt(capturedCents));
}

/** The part of an eligible amount that was paid in money when points paid `paidCents` of the total; rounded down. */
export function moneyOf(eligibleCents: number, totalCents: number, paidCents: number): number {
  return paidCents === 0
    ? eligibleCents
    : netCents(eligibleCents, { capturedCents: totalCents, refundedCents: paidCents });
}

/**
 * Calculates the net reward of a flow: the reward that the terms of its evaluation give for the amount after refunds. A
 * net reward is never more than the original reward. A further refund never increases the net reward. Conditions and
 * minimums are tested again only if the flow has `reevaluateOnRefund`.
 *
 * @returns points or cents of cashback, one amount for each action
 */
export function netRewards(flow: FlowOutcome, facts: Facts, captured: RefundedAmount): number[] {
  const base = baseOf(facts, flow);
  if (base.kind !== 'CENTS') {
    // Neither a reward per event nor a transfer can be reversed in part.
    const isOver = captured.refundedCents >= captured.capturedCents;
    return flow.actions.map((action) => (isOver ? 0 : amountBefore(action)));
  }
  const net = { ...base, amount: netCents(base.amount, captured) };
  // Conditions on the amount are about the whole purchase, also if the flow rewards a part of it.
  const purchase = facts.amountCents ?? base.amount;
  if (flow.reevaluateOnRefund && !stillQualifies(flow, net, netCents(purchase, captured))) {
    return flow.actions.map(() => 0);
  }
  return shareNet(flow, net);
}

/**
 * Calculates the reward of a flow for another amount of the purchase than the one that was decided. A smaller amount is
 * what refunds leave. A larger amount is a purchase that grew: the same rates, multipliers and limits give its reward.
 *
 * @param cents the part of the purchase that earns now
 * @returns points or cents of cashback, one amount for each action
 */
export function rewardOfAmount(flow: FlowOutcome, facts: Facts, cents: number): number[] {
  const decided = facts.amountCents ?? 0;
  if (cents <= decided) return netRewards(flow, facts, { capturedCents: decided, refundedCents: decided - cents });
  const base = baseOf(facts, flow);
  if (base.kind !== 'CENTS') return flow.actions.map(amountBefore);
  const grown = decided === 0 ? base.amount : Number((BigInt(base.amount) * BigInt(cents)) / BigInt(decided));
  const { capped } = calculateReward(flow, { ...base, amount: grown });
  return flow.actions.map((action, position) => Math.max(amountBefore(action), capped[position] ?? 0));
}

/** The amount of an action before refunds: points, or cents of cashback. */
const amountBefore = ({ kind, points, cashbackCents }: ActionOutcome) =>
  actionKind(kind).unit === 'cents' ? cashbackCents : points;

/**
 * Divides the net reward among the actions. First, each action gets its amount for the net base, without maximums of
 * points, but never more than its amount before refunds. Then the actions that award points share the rest of the net
 * reward in the order of the flow, each up to its amount before refunds. So a refund never increases the amount of an
 * action, and the amounts of all actions add up to the reward of the net amount.
 */
function shareNet(flow: FlowOutcome, net: Base): number[] {
  const limits = flow.limits.filter(({ unit }) => unit !== 'POINTS');
  const own = calculateReward({ ...flow, limits }, net).capped.map((amount, position) =>
    Math.min(amount, flow.actions.map(amountBefore)[position] ?? 0),
  );
  let pointsLeft = sumPoints(flow, calculateReward(flow, net).capped) - sumPoints(flow, own);
  return flow.actions.map((action, position) => {
    const share = own[position] ?? 0;
    if (!isPointsAward(action)) return share;
    const more = Math.min(pointsLeft, amountBefore(action) - share);
    pointsLeft -= more;
    return share + more;
  });
}

/** Adds up the amounts of the actions that award points. */
function sumPoints({ actions }: FlowOutcome, amounts: readonly number[]): number {
  return actions.reduce((sum, action, position) => sum + (isPointsAward(action) ? (amounts[position] ?? 0) : 0), 0);
}

/**
 * Whether the net amount reaches every minimum and fulfils the conditions. Uses the stored results of the conditions.
 */
function stillQualifies(flow: FlowOutcome, net: Base, purchaseCents: number): boolean {
  const points = calculateReward(flow, net).uncapped.reduce((sum, amount, position) => {
    const action = flow.actions[position];
    return action && actionKind(action.kind).unit === 'points' ? sum + amount : sum;
  }, 0);
  return (
    flow.groups.every((group) => holdsAfterRefund(group, purchaseCents)) &&
    flow.limits.every((limit) => limit.bound === 'MAXIMUM' || isReached(limit, net.amount, points))
  );
}

function isReached({ unit, amount }: LimitOutcome, cents: number, points: number): boolean {
  return amount <= (unit === 'DOLLARS' ? cents : points);
}

function holdsAfterRefund({ logic, conditions }: GroupOutcome, cents: number): boolean {
  const held = conditions.map((condition) => conditionKind(condition.attribute).holdsAfterRefund(condition, cents));
  return logic === 'ANY' ? held.some(Boolean) : held.every(Boolean);
}
