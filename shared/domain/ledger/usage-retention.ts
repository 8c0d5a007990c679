import { dayMs, retentionMs } from '../../contracts/limits.ts';
import { endOfPeriod } from '../period.ts';

/** How long it is known what members used of limits: not for ever, as whoever reads a member reads all of it. */

/** When what was used in a period may be forgotten; undefined for a lifetime, which never ends. */
export function forgottenAt(period: string): Date | undefined {
  const end = endOfPeriod(period);
  return end && new Date(end.getTime() + retentionMs.limitUsage);
}

/**
 * Whether what was used in a period is sure to be known still. Not on the last day before it may be
 * forgotten: clocks differ, and a write comes after the instant that it is made for.
 */
export function isKept(period: string, now: Date): boolean {
  const forgotten = forgottenAt(period);
  return forgotten === undefined || now.getTime() < forgotten.getTime() - dayMs;
}
