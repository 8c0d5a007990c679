import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../../tools/local/aws-service/clock.ts';

export interface ManualClock extends Clock {
  /** Moves to a time. Runs each timer that becomes due, at the time for which it was set. */
  moveTo(timeMs: number): Promise<void>;
  /** Moves forward by a duration. */
  advance(byMs: number): Promise<void>;
  /** Moves forward like a machine that slept: timers that became due run late, at the end of the sleep. */
  sleep(forMs: number): Promise<void>;
}

/** Creates a clock that stands still until the test moves it. */
export function manualClock(start: string): ManualClock {
  let nowMs = Date.parse(start);
  let due: { timeMs: number; run: () => void }[] = [];

  const takeNext = (untilMs: number): { timeMs: number; run: () => void } | undefined => {
    const [next] = due.filter(({ timeMs }) => timeMs <= untilMs).sort((first, second) => first.timeMs - second.timeMs);
    due = due.filter((timer) => timer !== next);
    return next;
  };

  const moveTo = async (timeMs: number): Promise<void> => {
    await nextTurn(); // lets running work set its timers
    for (let next = takeNext(timeMs); next; next = takeNext(timeMs)) {
      nowMs = Math.max(nowMs, next.timeMs);
      next.run();
      await nextTurn();
    }
    nowMs = timeMs;
  };

  return {
    now: () => nowMs,
    at(timeMs, run) {
      const timer = { timeMs, run };
      due.push(timer);
      return () => {
        due = due.filter((other) => other !== timer);
      };
    },
    moveTo,
    advance: (byMs) => moveTo(nowMs + byMs),
    sleep(forMs) {
      nowMs += forMs;
      return moveTo(nowMs);
    },
  };
}
