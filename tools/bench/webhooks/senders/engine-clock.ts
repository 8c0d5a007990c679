interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** The machine's time plus an offset that the bench moves, and timers that follow it. */
export class EngineClock {
  #offsetMs = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): Date => new Date(Date.now() + this.#offsetMs);

  /** Calls `run` after a time, in real time or by {@link advance}. */
  after(delayMs: number, run: () => void): void {
    const timer = { dueMs: this.now().getTime() + delayMs, run };
    this.#timers.add(timer);
    setTimeout(() => this.#fire(timer), Math.min(delayMs, 2 ** 31 - 1)).unref();
  }

  advance(byMs: number): void {
    this.#offsetMs += byMs;
    const nowMs = this.now().getTime();
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= nowMs);
    for (const timer of due.toSorted((one, other) => one.dueMs - other.dueMs)) this.#fire(timer);
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.run();
  }
}
