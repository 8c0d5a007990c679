import type { Facts } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { actionKind, conditionKind } from '../document/parts.ts';
import type { ActionOutcome, FlowOutcome, GroupOutcome, LimitOutcome } from './decision.ts';
import { baseOf, calculateReward, isPointsAward } from './reward.ts';

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

/**
 * Calculates the net reward of a flow: the reward for the amount after refunds, by the terms of its evaluation.
 * A net reward is never more than the reward, and a further refund never increases it. Conditions and minimums
 * are tested again only if the flow has `reevaluateOnRefund`.
 *
 * @returns points or cents of cashback, one amount for each action
 */
export function netRewards(flow: FlowOutcome, facts: Facts, captured: RefundedAmount): number[] {
  const base = baseOf(facts);
  if (base.kind !== 'CENTS') {
    // An event, or a transfer of points, cannot be reversed in part.
    const isOver = captured.refundedCents >= captured.capturedCents;
    return flow.actions.map((action) => (isOver ? 0 : amountBefore(action)));
  }
  const net = { ...base, amount: netCents(base.amount, captured) };
  if (flow.reevaluateOnRefund && !stillQualifies(flow, net)) return flow.actions.map(() => 0);
  return shareNet(flow, net);
}

/** The amount of an action before refunds: points, or cents of cashback. */
const amountBefore = ({ kind, points, cashbackCents }: ActionOutcome) =>
  actionKind(kind).unit === 'cents' ? cashbackCents : points;

/**
 * Divides the net reward among the actions. First, each action gets its net amount without maximums of points,
 * but never more than its amount before refunds. Then the actions that award points get the rest of the net
 * reward in their order, up to the same bound. So no action has more after a refund than before, and together the
 * actions have the reward of the net amount.
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

/** Whether the net amount fulfils the conditions, by their stored results, and reaches every minimum. */
function stillQualifies(flow: FlowOutcome, net: Base): boolean {
  const points = calculateReward(flow, net).uncapped.reduce((sum, amount, position) => {
    const action = flow.actions[position];
    return action && actionKind(action.kind).unit === 'points' ? sum + amount : sum;
  }, 0);
  return (
    flow.groups.every((group) => holdsAfterRefund(group, net.amount)) &&
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
