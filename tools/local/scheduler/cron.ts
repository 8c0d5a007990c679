import { Cron } from 'croner';
import { validationError } from '../aws-service/aws-error.ts';
import { translateCron } from './cron-fields.ts';
import type { Zone } from './zone.ts';

/**
 * The times of an AWS cron expression: `minutes hours day-of-month month day-of-week year`.
 *
 * The library computes on the time the clocks show and this module maps it to instants, because AWS treats the change
 * of clocks otherwise than the library: a time that is skipped in spring is left out, one that comes twice in autumn
 * counts once.
 *
 * @returns the first time after an instant, undefined when there is none
 * @throws AwsError ValidationException when AWS would refuse the expression
 */
export function cronTimes(fields: string, zone: Zone): (afterMs: number) => number | undefined {
  const cron = parse(fields);
  return (afterMs) => {
    let wall = cron.nextRun(new Date(zone.wallTime(afterMs)));
    while (wall) {
      const instantMs = zone.instant(wall.getTime());
      if (instantMs !== undefined && instantMs > afterMs) return instantMs;
      wall = cron.nextRun(wall);
    }
    return undefined;
  };
}

function parse(fields: string): Cron {
  const pattern = translateCron(fields);
  try {
    return new Cron(pattern, { timezone: 'UTC', mode: '7-part', alternativeWeekdays: true, paused: true });
  } catch (error) {
    throw validationError(
      `Invalid Schedule Expression cron(${fields}): ${error instanceof Error ? error.message : error}`,
    );
  }
}
