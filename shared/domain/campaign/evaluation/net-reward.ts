import type { Facts } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';
import { actionKind, conditionKind } from '../document/parts.ts';
import type { ActionOutcome, FlowOutcome, GroupOutcome, LimitOutcome } from './decision.ts';
import { baseOf, isPointsAward, rewardOf } from './reward.ts';

/** What a customer paid for a purchase, and what was refunded since. */
export interface RefundedAmount {
  readonly capturedCents: number;
  readonly refundedCents: number;
}

/** The part of an eligible amount that refunds leave, in proportion to what was captured; rounded down to the cent. */
export function netCents(eligibleCents: number, { capturedCents, refundedCents }: RefundedAmount): number {
  const left = Math.max(0, capturedCents - refundedCents);
  // The product of two amounts of ten million dollars does not fit into a double.
  return left === 0 ? 0 : Number((BigInt(eligibleCents) * BigInt(left)) / BigInt(capturedCents));
}

/**
 * Works out the net reward of a flow: its rewards for the amount that refunds leave, by the terms of its
 * evaluation. A net reward is never more than the reward, and never grows with a further refund.
 * Conditions and minimums are tested again only when the flow asks for it.
 *
 * @returns points or cents of cashback, one amount for each action
 */
export function netRewards(flow: FlowOutcome, facts: Facts, captured: RefundedAmount): number[] {
  const base = baseOf(facts);
  if (base.kind !== 'CENTS') {
    // An event, or a transfer of points, cannot be reversed in part.
    const isOver = captured.refundedCents >= captured.capturedCents;
    return flow.actions.map((action) => (isOver ? 0 : givenBy(action)));
  }
  const net = { ...base, amount: netCents(base.amount, captured) };
  if (flow.reevaluateOnRefund && !qualifiesStill(flow, net)) return flow.actions.map(() => 0);
  return shareNet(flow, net);
}

/** What an action gave or took: points, or cents of cashback. */
const givenBy = ({ kind, points, cashbackCents }: ActionOutcome) =>
  actionKind(kind).unit === 'cents' ? cashbackCents : points;

/**
 * Shares the net reward among the actions. Each action gets what it comes to without maximums of points, at
 * most what it gave. Where a maximum made some of them smaller, those fill up to the maximum in their order.
 * So no action has more after a refund than before, and together they have what the net amount would earn.
 */
function shareNet(flow: FlowOutcome, net: Base): number[] {
  const limits = flow.limits.filter(({ unit }) => unit !== 'POINTS');
  const own = rewardOf({ ...flow, limits }, net).capped.map((amount, position) =>
    Math.min(amount, flow.actions.map(givenBy)[position] ?? 0),
  );
  let left = pointsOf(flow, rewardOf(flow, net).capped) - pointsOf(flow, own);
  return flow.actions.map((action, position) => {
    const share = own[position] ?? 0;
    if (!isPointsAward(action)) return share;
    const more = Math.min(left, givenBy(action) - share);
    left -= more;
    return share + more;
  });
}

/** The points that are awarded among some amounts, one for each action. */
function pointsOf({ actions }: FlowOutcome, amounts: readonly number[]): number {
  return actions.reduce((sum, action, position) => sum + (isPointsAward(action) ? (amounts[position] ?? 0) : 0), 0);
}

/** Whether the net amount still fulfils the conditions, by the stored findings, and reaches every minimum. */
function qualifiesStill(flow: FlowOutcome, net: Base): boolean {
  const points = rewardOf(flow, net).whole.reduce((sum, amount, position) => {
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
