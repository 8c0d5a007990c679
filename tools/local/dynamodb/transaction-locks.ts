import { setTimeout as sleep } from 'node:timers/promises';

/** A write that may go on; it has to be told when it is over. */
export interface Passage {
  over(): Promise<void>;
}

/**
 * Which items transactions are on. AWS refuses a write that meets such an item, DynamoDB Local lets it
 * wait: with this between them contention costs what it costs there.
 */
export class TransactionLocks {
  readonly #holdMs: number;
  readonly #held = new Set<string>();
  #conflicts = 0;

  /** @param holdMs how long a transaction is on its items at the least */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** How many writes were refused. */
  get conflicts(): number {
    return this.#conflicts;
  }

  /** Lets a write pass, or gives the position of the part whose item another transaction is on. */
  enter(operation: string, keys: readonly string[]): Passage | number {
    if (!/^(Transact|Put|Update|Delete)/.test(operation)) return { over: async () => {} };
    const taken = keys.findIndex((key) => this.#held.has(key));
    if (taken >= 0) {
      this.#conflicts += 1;
      return taken;
    }
    return operation === 'TransactWriteItems' ? this.#hold(keys) : { over: async () => {} };
  }

  #hold(keys: readonly string[]): Passage {
    for (const key of keys) this.#held.add(key);
    const atLeast = sleep(this.#holdMs);
    return {
      over: async () => {
        await atLeast;
        for (const key of keys) this.#held.delete(key);
      },
    };
  }
}
