import { endOfPeriod } from '../period.ts';

/** How long it is known what members used of limits: not for ever, as whoever reads a member reads all of it. */

const dayMs = 86_400_000;

/** Long enough for what comes late: failure queues keep an event for 14 days, and it counts in its own period. */
const keptForDays = 35;

/** When what was used in a period may be forgotten; undefined for a lifetime, which never ends. */
export function forgottenAt(period: string): Date | undefined {
  const end = endOfPeriod(period);
  return end && new Date(end.getTime() + keptForDays * dayMs);
}

/**
 * Whether what was used in a period is sure to be known still. Not on the last day before it may be
 * forgotten: clocks differ, and a write comes after the instant that it is made for.
 */
export function isKept(period: string, now: Date): boolean {
  const forgotten = forgottenAt(period);
  return forgotten === undefined || now.getTime() < forgotten.getTime() - dayMs;
}
