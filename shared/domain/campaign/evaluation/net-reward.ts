import type { Facts } from '../document/facts.ts';
import { baseOf } from './actions-of-flow.ts';
import type { ActionOutcome, FlowOutcome, GroupOutcome, LimitOutcome } from './decision.ts';
import type { Base } from './rates.ts';
import { rewardOf } from './reward-of-flow.ts';

/** What was taken from a customer for a purchase, and given back of it since. */
export interface RefundedAmount {
  readonly capturedCents: number;
  readonly refundedCents: number;
}

/** What of an eligible amount is left after refunds, which speak of all that was captured; rounded down to the cent. */
export function netCents(eligibleCents: number, { capturedCents, refundedCents }: RefundedAmount): number {
  const left = Math.max(0, capturedCents - refundedCents);
  // Two amounts of ten million dollars make a product that no double holds.
  return left === 0 ? 0 : Number((BigInt(eligibleCents) * BigInt(left)) / BigInt(capturedCents));
}

/**
 * What a flow's rewards come to for what refunds leave of the amount, by the terms of its evaluation:
 * one number for each action, in points or cents of cashback, never more than was given and never more
 * after a further refund. Conditions and minimums are not tested again, unless the flow asks for it.
 *
 * @returns what was given, when nothing is refunded; zeros, when all is
 */
export function netRewards(flow: FlowOutcome, facts: Facts, captured: RefundedAmount): number[] {
  const base = baseOf(facts);
  if (base.kind !== 'CENTS') {
    // An event, or points that were moved, cannot be taken back by half.
    const isOver = captured.refundedCents >= captured.capturedCents;
    return flow.actions.map((action) => (isOver ? 0 : givenBy(action)));
  }
  const net = { ...base, amount: netCents(base.amount, captured) };
  if (flow.reevaluateOnRefund && !qualifiesStill(flow, net)) return flow.actions.map(() => 0);
  return keptFor(flow, net);
}

/** What an action gave or took: points, or cents of cashback. */
const givenBy = ({ kind, points, cashbackCents }: ActionOutcome) =>
  kind === 'AWARD_CASHBACK' ? cashbackCents : points;

/**
 * Each action keeps what it comes to by itself. Where a maximum cut some of them short, what is still
 * allowed for all together fills up those that were, in their order: so that no action keeps more after
 * a refund than before it, and all of them together keep what the net amount would earn.
 */
function keptFor(flow: FlowOutcome, net: Base): number[] {
  const limits = flow.limits.filter(({ unit }) => unit !== 'POINTS');
  const own = rewardOf({ ...flow, limits }, net).capped.map((amount, position) =>
    Math.min(amount, flow.actions.map(givenBy)[position] ?? 0),
  );
  let left = pointsOf(flow, rewardOf(flow, net).capped) - pointsOf(flow, own);
  return flow.actions.map((action, position) => {
    const kept = own[position] ?? 0;
    if (action.kind !== 'AWARD_POINTS') return kept;
    const more = Math.min(left, givenBy(action) - kept);
    left -= more;
    return kept + more;
  });
}

/** The points that are awarded among some amounts, one for each action. */
function pointsOf({ actions }: FlowOutcome, amounts: readonly number[]): number {
  return amounts.reduce((sum, amount, position) => sum + (actions[position]?.kind === 'AWARD_POINTS' ? amount : 0), 0);
}

/** Whether the net amount would still be rewarded: the basket is large enough, and every minimum is reached. */
function qualifiesStill(flow: FlowOutcome, net: Base): boolean {
  const whole = rewardOf(flow, net).whole.reduce(
    (sum, amount, position) => sum + (flow.actions[position]?.kind === 'AWARD_CASHBACK' ? 0 : amount),
    0,
  );
  return (
    flow.groups.every((group) => holdsStill(group, net.amount)) &&
    flow.limits.every((limit) => limit.bound === 'MAXIMUM' || reached(limit, net.amount, whole))
  );
}

function reached({ unit, amount }: LimitOutcome, cents: number, points: number): boolean {
  return amount <= (unit === 'DOLLARS' ? cents : points);
}

/** By the stored findings. A refund makes a basket smaller: it never makes one small enough that was too large. */
function holdsStill({ logic, conditions }: GroupOutcome, cents: number): boolean {
  const held = conditions.map(({ attribute, operator, holds, needed }) =>
    attribute === 'BASKET_SIZE' && operator === 'GREATER_THAN' ? holds && cents > Number(needed) : holds,
  );
  return logic === 'ANY' ? held.some(Boolean) : held.every(Boolean);
}
