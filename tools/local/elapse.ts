import type { PlatformClock } from './clock/platform-clock.ts';

/** The clock moves at least so far at once, so many messages with almost the same due time need one step. */
const shortestStepMs = 1_000;

/** What a period of time needs from its platform. */
export interface ElapseDeps {
  readonly clock: PlatformClock;
  readonly settled: () => Promise<void>;
  /** Returns the times at which waiting work is due, in milliseconds since the epoch. */
  readonly listDueMs: () => readonly (number | undefined)[];
}

/**
 * Lets a period pass as it would by itself: moves the clock from one due time to the next, and waits each time until the
 * platform has done its work. So work that other work adds happens at its own time too, at most a second late.
 */
export async function elapse(byMs: number, { clock, settled, listDueMs }: ElapseDeps): Promise<void> {
  const untilMs = clock.now() + byMs;
  await settled();
  while (clock.now() < untilMs) {
    const dueMs = Math.min(untilMs, ...listDueMs().filter((timeMs) => timeMs !== undefined));
    const nextMs = Math.min(untilMs, Math.max(dueMs, clock.now() + shortestStepMs));
    await clock.advance(Math.max(0, Math.ceil(nextMs - clock.now())));
    await settled();
  }
}
