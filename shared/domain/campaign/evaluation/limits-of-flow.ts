import { periodOf } from '../../period.ts';
import { type Facts, type Usage, usageName } from '../document/facts.ts';
import type { Limit } from '../document/limit.ts';
import type { FlowResult, LimitOutcome } from './decision.ts';

/** Limits as they stand for one event: with what was used of them in the period that the event is in. */
export function limitsAt(limits: readonly Limit[], { occurredAt, timeZone }: Facts, usage: Usage): LimitOutcome[] {
  return limits.map((limit) => {
    const { id: limitId, kind, bound, unit, amount } = limit;
    const period = limit.kind === 'USER' ? periodOf(limit.period, occurredAt, timeZone) : null;
    const used = period === null ? 0 : (usage[usageName(limitId, period)] ?? 0);
    return { limitId, kind, bound, unit, amount, period, used, effect: 'NONE', charge: 0 };
  });
}

/** The most of a unit that limits leave, and infinity where none limits it. */
export function mostOf(unit: LimitOutcome['unit'], limits: readonly LimitOutcome[]): number {
  return limits.reduce(
    (most, limit) => (limit.unit === unit && limit.bound === 'MAXIMUM' ? Math.min(most, leftOf(limit)) : most),
    Number.POSITIVE_INFINITY,
  );
}

/** What a maximum leaves: less than nothing never, though a limit may have been lowered under what was used. */
const leftOf = ({ amount, used }: LimitOutcome): number => Math.max(0, amount - used);

/** How much of each unit a reward is. */
export interface Measure {
  /** One, or none where it comes to nothing. */
  readonly events: number;
  /** Points that are awarded or paid, or leave in a transfer. */
  readonly points: number;
  /** What is spent and counts; null where nothing is spent. */
  readonly cents: number | null;
}

/** A reward as it is asked for, without any maximum, and as it is given. */
export interface Claim {
  readonly asked: Measure;
  readonly given: Measure;
  /** Whether less may be given than is asked for: of an award; what is paid or moved is all or nothing. */
  readonly mayBeCapped: boolean;
}

/** What limits make of a reward: the first that refuses it as a whole says why. */
export function applied(
  limits: readonly LimitOutcome[],
  claim: Claim,
): { readonly refusal: FlowResult | undefined; readonly limits: LimitOutcome[] } {
  const refusals = limits.map((limit) => refusalBy(limit, claim));
  const refusal = refusals.find((reason) => reason !== undefined);
  const isGiven = refusal === undefined && claim.given.events > 0;
  return {
    refusal,
    limits: limits.map((limit, position) => ({
      ...limit,
      effect: refusals[position] ? 'REFUSED' : isCapped(limit, claim) ? 'CAPPED' : 'NONE',
      charge: isGiven && limit.kind === 'USER' ? (measured(limit, claim.given) ?? 0) : 0,
    })),
  };
}

function refusalBy(limit: LimitOutcome, { asked, given, mayBeCapped }: Claim): FlowResult | undefined {
  const amount = measured(limit, asked);
  if (amount === null) return undefined;
  if (limit.bound === 'MINIMUM') return amount < limit.amount ? 'BELOW_MINIMUM' : undefined;
  if (amount <= leftOf(limit)) return undefined;
  // Points that are used up refuse no money that the same flow awards.
  const isUsedUp = limit.kind === 'USER' && leftOf(limit) === 0 && (given.events === 0 || !mayBeCapped);
  if (limit.unit === 'EVENTS' || isUsedUp) return 'LIMIT_REACHED';
  return mayBeCapped ? undefined : 'ABOVE_MAXIMUM';
}

/** Whether it is this limit that was met: another one may have left less. */
function isCapped(limit: LimitOutcome, { asked, given }: Claim): boolean {
  if (limit.bound === 'MINIMUM') return false;
  return (measured(limit, asked) ?? 0) > leftOf(limit) && measured(limit, given) === leftOf(limit);
}

function measured({ unit }: LimitOutcome, { events, points, cents }: Measure): number | null {
  switch (unit) {
    case 'EVENTS':
      return events;
    case 'POINTS':
      return points;
    case 'DOLLARS':
      return cents;
  }
}
