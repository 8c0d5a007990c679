/** Time as a service sees it. Tests pass their own and move it by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs something at a time, at once if it has passed. Returns a function that calls it off. */
  at(timeMs: number, run: () => void): () => void;
}

/** Node's timers fire at once when asked to wait longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(timeMs, run) {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const waitMs = Math.max(0, timeMs - Date.now());
      timer = waitMs > LONGEST_TIMER_MS ? setTimeout(arm, LONGEST_TIMER_MS) : setTimeout(run, waitMs);
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
