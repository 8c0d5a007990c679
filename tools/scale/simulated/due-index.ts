import {
  maximumCount,
  minuteMs,
  shardCount,
  timingMs,
  toSeconds,
  validityMs,
} from '../../../shared/contracts/limits.ts';
import { releaseMs, scaleAssumptions } from '../assumptions.ts';
import { seededRandom } from '../seeded.ts';
import { tableTimes } from '../table-times.ts';

/*
 * The index of claims by the minute of their expiry. A claim enters the index when its token is issued, and leaves the
 * index when the token is spent or released. Each of these two writes takes one unit, in one of the shards of the
 * minute.
 */

export interface DueIndexResult {
  /** The number of keys that were written in the busiest minute. */
  readonly keysPerMinute: number;
  /** The most write units that any key used in one second. */
  readonly busiestSecond: number;
}

/** The longest time between the issue of a token and its use. */
const longestCheckoutSeconds = 30;
const minuteSeconds = toSeconds(minuteMs);

/** Simulates the writes of the index second by second. */
export function simulateDueIndex(perSecond: number, seconds = 90): DueIndexResult {
  const random = seededRandom(20_261_125);
  const { dueClaims } = shardCount;
  const bySecond = Array.from({ length: seconds }, () => new Map<number, number>());
  const write = (second: number, key: number) => {
    const units = bySecond[second];
    units?.set(key, (units.get(key) ?? 0) + 1);
  };
  for (let second = 0; second < seconds; second += 1) {
    const minute = Math.floor((second + toSeconds(validityMs.transactionToken)) / minuteSeconds);
    for (let nth = 0; nth < perSecond; nth += 1) {
      const key = minute * dueClaims + Math.floor(random() * dueClaims);
      write(second, key);
      const isSpent = random() >= scaleAssumptions.abandonedShare;
      if (isSpent) write(second + 1 + Math.floor(random() * longestCheckoutSeconds), key);
    }
  }
  const minutes = Array.from({ length: Math.floor(seconds / minuteSeconds) }, (_, nth) =>
    bySecond.slice(nth * minuteSeconds, (nth + 1) * minuteSeconds),
  );
  return {
    keysPerMinute: Math.max(...minutes.map((each) => new Set(each.flatMap((units) => [...units.keys()])).size)),
    busiestSecond: Math.max(...bySecond.flatMap((units) => [...units.values()])),
  };
}

export interface SweepResult {
  /** The expired tokens that are not released at the end of the simulated minutes. */
  readonly waiting: number;
  /** How late the oldest of these tokens is, in minutes. */
  readonly minutesLate: number;
}

/** The rounds of queries for the shards of one minute. The queries of a round run in parallel (claims.ts). */
const queryRounds = 4;

/** Simulates the runs of release-expired, one each minute, beginning with an empty index. */
export function simulateSweep(perSecond: number, minutes = 60): SweepResult {
  const expiring = perSecond * scaleAssumptions.abandonedShare * minuteSeconds;
  const waiting: number[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    waiting.push(expiring);
    let leftMs: number = timingMs.expirySweep;
    while (waiting.length > 0 && leftMs > 0) {
      leftMs -= queryRounds * tableTimes.readMs;
      const [oldest = 0] = waiting;
      const released = Math.min(oldest, Math.floor((leftMs * maximumCount.releasedTogether) / releaseMs));
      leftMs -= (released * releaseMs) / maximumCount.releasedTogether;
      // If a run's time is over, the next run continues with the same minute.
      if (released < oldest) {
        waiting[0] = oldest - released;
        break;
      }
      waiting.shift();
    }
  }
  return { waiting: waiting.reduce((sum, count) => sum + count, 0), minutesLate: waiting.length };
}
