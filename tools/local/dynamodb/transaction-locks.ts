import { setTimeout as sleep } from 'node:timers/promises';

/** Permission for one write. The caller must release it after the write. */
export interface WritePermit {
  release(): Promise<void>;
}

/**
 * Locks the items of running transactions, as AWS does. AWS refuses a write to a locked item. DynamoDB Local lets such
 * a write wait, so no write would fail by a conflict. With these locks, writes fail as on AWS.
 */
export class TransactionLocks {
  readonly #holdMs: number;
  readonly #lockedKeys = new Set<string>();
  #conflicts = 0;

  /** @param holdMs shortest time that a transaction locks its items */
  constructor(holdMs: number) {
    this.#holdMs = holdMs;
  }

  /** Number of refused writes. */
  get conflicts(): number {
    return this.#conflicts;
  }

  /** Returns a permit for a write, or the position of the part whose item is locked by another transaction. */
  request(operation: string, keys: readonly string[]): WritePermit | number {
    if (!/^(Transact|Put|Update|Delete)/.test(operation)) return { release: async () => {} };
    const locked = keys.findIndex((key) => this.#lockedKeys.has(key));
    if (locked >= 0) {
      this.#conflicts += 1;
      return locked;
    }
    return operation === 'TransactWriteItems' ? this.#lock(keys) : { release: async () => {} };
  }

  #lock(keys: readonly string[]): WritePermit {
    for (const key of keys) this.#lockedKeys.add(key);
    const shortestHold = sleep(this.#holdMs);
    return {
      release: async () => {
        await shortestHold;
        for (const key of keys) this.#lockedKeys.delete(key);
      },
    };
  }
}
