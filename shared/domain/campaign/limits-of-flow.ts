import type { FlowResult, LimitOutcome } from './decision.ts';
import { type Facts, type Usage, usageName } from './facts.ts';
import type { Limit } from './limit.ts';
import { periodOf } from './period.ts';

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
export const leftOf = ({ amount, used }: LimitOutcome): number => Math.max(0, amount - used);

/** How much of the units of limits a reward is. Where nothing is spent, there are no cents. */
export interface Measure {
  readonly cents: number | null;
  readonly points: number;
}

/** The measure of a reward in a limit's unit; null where it has none. */
export function measured({ unit }: LimitOutcome, { cents, points }: Measure): number | null {
  switch (unit) {
    case 'EVENTS':
      return 1;
    case 'POINTS':
      return points;
    case 'DOLLARS':
      return cents;
  }
}

/** Why a limit refuses a reward as a whole; undefined when it does not. */
export function refusalBy(limit: LimitOutcome, whole: Measure, mayBeCapped: boolean): FlowResult | undefined {
  const amount = measured(limit, whole);
  if (amount === null) return undefined;
  if (limit.bound === 'MINIMUM') return amount < limit.amount ? 'BELOW_MINIMUM' : undefined;
  if (amount <= leftOf(limit)) return undefined;
  if (limit.unit === 'EVENTS') return 'LIMIT_REACHED';
  if (limit.kind === 'USER' && leftOf(limit) === 0) return 'LIMIT_REACHED';
  return mayBeCapped ? undefined : 'ABOVE_MAXIMUM';
}
