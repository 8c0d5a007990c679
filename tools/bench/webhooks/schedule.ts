import { setTimeout as sleep } from 'node:timers/promises';
import { clockMs } from './event.ts';

/** Events that are due one after the other at a constant rate. `Infinity` makes all of them due at the start. */
export interface Schedule {
  readonly count: number;
  readonly perSecond: number;
}

/** When an event is due, in milliseconds after the start. The first event is due at 0. */
export const dueAt = ({ perSecond }: Schedule, nth: number): number => (nth * 1_000) / perSecond;

/** How many events are due a time after the start. */
export function dueCount(schedule: Schedule, elapsedMs: number): number {
  if (elapsedMs < 0) return 0;
  if (schedule.perSecond === Number.POSITIVE_INFINITY) return schedule.count;
  return Math.min(schedule.count, Math.floor((elapsedMs * schedule.perSecond) / 1_000) + 1);
}

interface OpenLoopOptions {
  /** Publishes the events from number `from` up to, but not including, `to`. The loop does not wait for the call to end. */
  readonly publish: (from: number, to: number) => Promise<void>;
  readonly now?: () => number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The times of an open loop. */
export interface OpenLoop {
  /** The time at which the first event was due. */
  readonly startedAt: number;
  /** The longest time from when an event was due to when it was handed over: the publisher's own delay. */
  readonly lateMs: number;
  /** Each failed call of `publish`, with the events that it was for. */
  readonly failures: readonly { readonly from: number; readonly to: number; readonly error: unknown }[];
}

/**
 * Publishes events when they are due, by the clock alone. A slow sender does not slow the publisher: events wait in the
 * sender, and their waiting counts. Resolves when every call of `publish` has ended.
 */
export async function publishOpenLoop(schedule: Schedule, options: OpenLoopOptions): Promise<OpenLoop> {
  const { publish, now = clockMs, pause = sleep } = options;
  const startedAt = now();
  const underWay: Promise<void>[] = [];
  const failures: OpenLoop['failures'][number][] = [];
  let [published, lateMs] = [0, 0];
  while (published < schedule.count) {
    const elapsedMs = now() - startedAt;
    const [from, to] = [published, dueCount(schedule, elapsedMs)];
    if (to > from) {
      lateMs = Math.max(lateMs, elapsedMs - dueAt(schedule, from));
      underWay.push(publish(from, to).catch((error) => void failures.push({ from, to, error })));
      published = to;
    } else {
      await pause(dueAt(schedule, published) - elapsedMs);
    }
  }
  await Promise.all(underWay);
  return { startedAt, lateMs, failures };
}
