import { dayMs, retentionMs } from '../../contracts/limits.ts';
import { endOfPeriod } from '../period.ts';

/**
 * Returns when the use of limits in a period may be deleted, so that members stay cheap to read; undefined for a
 * lifetime, which never ends.
 */
export function deletableAt(period: string): Date | undefined {
  const end = endOfPeriod(period);
  return end && new Date(end.getTime() + retentionMs.limitUsage);
}

/**
 * Whether the use of limits in a period certainly exists still. On the last day before the deletion it does not
 * count: clocks differ, and a write follows the instant that it is made for.
 */
export function isRetained(period: string, now: Date): boolean {
  const deletable = deletableAt(period);
  return deletable === undefined || now.getTime() < deletable.getTime() - dayMs;
}
