/** A worker that waits for its next invocation. */
export interface IdleWorker {
  /** Whether its function has other workers too. */
  readonly isSurplus: () => boolean;
  readonly end: () => void;
}

/** A pool that waits for room for one more worker. */
export interface HungryPool {
  /** The number of its workers. */
  readonly size: () => number;
  /** Whether an invocation still waits. A worker of the pool may have taken it meanwhile. */
  readonly isWaiting: () => boolean;
  readonly grow: () => void;
}

export interface WorkerBudgetOptions {
  /** Limit for the workers of all functions together. Only a function's first worker may exceed it. */
  readonly limit?: number;
  /** An unused worker ends after this time. */
  readonly idleMs?: number;
  /** The number of idle workers that are kept longer: those that were used last. */
  readonly keptCount?: number;
  /** How long these idle workers are kept. */
  readonly keptMs?: number;
}

/** A worker takes 20 to 30 megabytes. With more workers, two processor cores would do no more work. */
const defaultLimit = 18;

/**
 * A purchase uses this many functions. Their workers stay, so a developer who tries the API does not wait for starts.
 */
const defaultKept = 6;

/**
 * Bounds the workers of all functions together, because each of them takes memory. A function always gets its first
 * worker, so functions that wait for each other can go on; further workers need free room, which a function with more
 * workers than another one gives up. If there is no room for a
 * first worker, an idle worker ends. This is a worker whose function has other workers, or else the worker that was
 * idle longest.
 */
export class WorkerBudget {
  readonly #limit: number;
  readonly #idleMs: number;
  readonly #keptCount: number;
  readonly #keptMs: number;
  /** The idle workers with the time at which each became idle. The one that was idle longest comes first. */
  readonly #idle = new Map<IdleWorker, number>();
  readonly #hungry = new Set<HungryPool>();
  readonly #sweeping: NodeJS.Timeout;
  #count = 0;

  constructor({
    limit = defaultLimit,
    idleMs = 10_000,
    keptCount = defaultKept,
    keptMs = 120_000,
  }: WorkerBudgetOptions = {}) {
    this.#limit = limit;
    this.#idleMs = idleMs;
    this.#keptCount = keptCount;
    this.#keptMs = keptMs;
    this.#sweeping = setInterval(() => this.#sweep(), idleMs / 4).unref();
  }

  /** Reserves room for a worker, if there is some. `isFirst` is true if the function has no worker yet. */
  admit(isFirst: boolean): boolean {
    if (this.#count >= this.#limit) {
      if (!isFirst) return false;
      this.#endOne();
    }
    this.#count += 1;
    return true;
  }

  /** Gives the room of a worker back. */
  release(): void {
    this.#count -= 1;
    this.#offerRoom();
  }

  /** Calls `grow` of a pool once, as soon as there may be room again. */
  onRoom(pool: HungryPool): void {
    this.#hungry.add(pool);
  }

  /**
   * Whether a pool has to give a worker up: another pool waits for room and has at least two workers less. So a pool
   * under load cannot keep all workers, and the functions behind a queue get their share while the load lasts.
   */
  isOwed(workers: number): boolean {
    // Above the limit, no pool could take the room.
    if (this.#count > this.#limit) return false;
    return [...this.#hungry].some((pool) => pool.isWaiting() && pool.size() < workers - 1);
  }

  /** Adds a worker that has nothing to do. */
  addIdle(worker: IdleWorker): void {
    this.#idle.set(worker, performance.now());
  }

  /** Removes a worker that has an invocation or has ended. */
  removeIdle(worker: IdleWorker): void {
    this.#idle.delete(worker);
  }

  stop(): void {
    clearInterval(this.#sweeping);
    this.#hungry.clear();
  }

  #endOne(): void {
    const idle = [...this.#idle.keys()];
    const chosen = idle.find(({ isSurplus }) => isSurplus()) ?? idle[0];
    chosen?.end();
  }

  #offerRoom(): void {
    // The pool with the fewest workers comes first.
    const hungry = [...this.#hungry].toSorted((one, other) => one.size() - other.size());
    this.#hungry.clear();
    for (const { grow } of hungry) grow();
  }

  #sweep(): void {
    const now = performance.now();
    const kept = new Set([...this.#idle.keys()].slice(-this.#keptCount));
    for (const [worker, sinceMs] of this.#idle) {
      const staysLonger = kept.has(worker) && !worker.isSurplus();
      if (now - sinceMs > (staysLonger ? this.#keptMs : this.#idleMs)) worker.end();
    }
  }
}
