/** The clock of a service. Tests pass a clock that they move by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` at `timeMs`, or immediately if that time has passed. Returns a function that cancels the call. */
  at(timeMs: number, run: () => void): () => void;
}

/** A Node timer with a longer delay than this fires immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/** The machine's clock. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(timeMs, run) {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const waitMs = Math.max(0, timeMs - Date.now());
      timer = waitMs > longestTimerMs ? setTimeout(arm, longestTimerMs) : setTimeout(run, waitMs);
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};
