import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, longestTimerMs, systemClock } from '../aws-service/clock.ts';

/** The time of a platform. */
export interface PlatformClock extends Clock {
  /** Given to the threads that need the same time. Absent when the platform has the machine's time. */
  readonly offset?: ClockOffset;
  /**
   * Moves the time forward at once. Due schedules and retries run one after the other, by their due times, and see the
   * new time. A message whose time has come is visible to the next receiver of its queue.
   *
   * Of several due times of a recurring schedule, only the first and those of the last minute lead to a run. The runs
   * of the last minute may begin after this call has ended. When the call ends, all other runs have been handed to
   * their targets.
   *
   * @param byMs a whole number of milliseconds
   * @throws RangeError for a number that is negative or not whole; Error when the platform has the machine's time
   */
  advance(byMs: number): Promise<void>;
  /** Whether a timer of the controlled clock is due and has not run yet. */
  isBusy(): boolean;
}

/** @param mode `controlled`: the machine's time plus an offset that `advance` moves forward */
export function createPlatformClock(mode: 'system' | 'controlled' = 'system'): PlatformClock {
  return mode === 'controlled' ? new ControlledClock() : machineClock;
}

const machineClock: PlatformClock = {
  ...systemClock,
  isBusy: () => false,
  advance: async () => {
    throw new Error("this platform has the machine's time: start it with the option clock: 'controlled'");
  },
};

interface Timer {
  readonly timeMs: number;
  readonly run: () => void;
}

class ControlledClock implements PlatformClock {
  readonly offset = createOffset();
  readonly now = createNow(this.offset);
  readonly #timers = new Set<Timer>();
  /** The Node timer that runs the earliest timer of this clock, unless `advance` runs it before. */
  #wake: NodeJS.Timeout | undefined;
  #wakeMs = Number.POSITIVE_INFINITY;
  #running = Promise.resolve();

  at(timeMs: number, run: () => void): () => void {
    const timer = { timeMs, run };
    this.#timers.add(timer);
    if (timeMs < this.#wakeMs) this.#wakeAt(timeMs);
    return () => this.#timers.delete(timer);
  }

  isBusy(): boolean {
    return [...this.#timers].some(({ timeMs }) => timeMs <= this.now());
  }

  async advance(byMs: number): Promise<void> {
    if (!Number.isSafeInteger(byMs) || byMs < 0) {
      throw new RangeError(`a clock moves forward by whole milliseconds, not by ${byMs}`);
    }
    addToOffset(this.offset, byMs);
    await this.#runDue();
  }

  #wakeAt(timeMs: number): void {
    clearTimeout(this.#wake);
    this.#wakeMs = timeMs;
    const waitMs = Math.min(Math.max(0, timeMs - this.now()), longestTimerMs);
    this.#wake = setTimeout(() => void this.#runDue(), waitMs).unref();
  }

  /**
   * Runs the due timers one after the other. A call waits for the previous call, because `advance` may be called while
   * the Node timer runs some of them.
   */
  #runDue(): Promise<void> {
    this.#running = this.#running.then(() => this.#runTimers());
    return this.#running;
  }

  async #runTimers(): Promise<void> {
    const nowMs = this.now();
    const due = [...this.#timers].filter(({ timeMs }) => timeMs <= nowMs);
    for (const timer of due.sort((first, second) => first.timeMs - second.timeMs)) {
      // An earlier timer can cancel a later one.
      if (!this.#timers.delete(timer)) continue;
      timer.run();
      // Lets the work that has started reach its target, so that the next timer's work cannot overtake it.
      await nextTurn();
    }
    clearTimeout(this.#wake);
    this.#wakeMs = Number.POSITIVE_INFINITY;
    const times = [...this.#timers].map(({ timeMs }) => timeMs);
    if (times.length > 0) this.#wakeAt(times.reduce((first, timeMs) => Math.min(first, timeMs)));
  }
}

/** The clock moves at least this far at once, so one step suffices for many messages with almost the same due time. */
const shortestStepMs = 1_000;

/** The parts of the platform that `elapse` needs. */
export interface ElapseDeps {
  readonly clock: PlatformClock;
  readonly settled: () => Promise<void>;
  /** Returns the times at which waiting work is due, in milliseconds since the epoch. */
  readonly listDueMs: () => readonly (number | undefined)[];
}

/**
 * Lets a period pass as it would by itself: moves the clock from one due time to the next. Waits at each due time until
 * the platform has done its work. So work that is caused by other work also happens when it is due, or at most a second
 * later.
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

/** The offset of a clock: how far its time is ahead of the machine's, in whole milliseconds. All threads share it. */
export type ClockOffset = SharedArrayBuffer;

export function createOffset(): ClockOffset {
  return new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
}

export function addToOffset(offset: ClockOffset, byMs: number): void {
  Atomics.add(new BigInt64Array(offset), 0, BigInt(byMs));
}

/** Returns a function that reads the shifted time, in milliseconds since the epoch. */
function createNow(offset: ClockOffset): () => number {
  const machine = Date;
  const cell = new BigInt64Array(offset);
  return () => machine.now() + Number(Atomics.load(cell, 0));
}

/** Returns a `Date` whose present is the shifted time. Dates that it makes are instances of the machine's `Date` too. */
export function createShiftedDate(offset: ClockOffset): DateConstructor {
  const machine = Date;
  const now = createNow(offset);
  return new Proxy(machine, {
    construct: (target, parts, made) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, made),
    apply: () => new machine(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Replaces the `Date` of this thread. Timers and `performance.now()` keep the machine's time. */
export function replaceDate(offset: ClockOffset): void {
  const shifted = createShiftedDate(offset);
  globalThis.Date = shifted;
  shifted.prototype.constructor = shifted;
}
