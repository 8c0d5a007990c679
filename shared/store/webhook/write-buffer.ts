import type { BatchWrite } from '../table/table-client.ts';

interface Waiting {
  readonly writes: readonly BatchWrite[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the writes of many callers into few calls. While a call is in progress, new writes wait for the next call. So
 * a single write is done at once, and many writes at the same time share a call.
 */
export class WriteBuffer {
  readonly #write: (writes: readonly BatchWrite[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(write: (writes: readonly BatchWrite[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the writes are done. Rejects with the error of the call that contained them. */
  write(writes: readonly BatchWrite[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ writes, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Callers of the same turn of the event loop come together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const together = this.#waiting.splice(0);
      try {
        await this.#write(latestOfEachItem(together.flatMap(({ writes }) => writes)));
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#isRunning = false;
  }
}

/** A call may contain an item once. A later write replaces an earlier one. */
function latestOfEachItem(writes: readonly BatchWrite[]): BatchWrite[] {
  const byKey = new Map(
    writes.map((write) => {
      const { pk, sk } = write.kind === 'put' ? write.item : write.key;
      return [`${pk} ${sk}`, write] as const;
    }),
  );
  return [...byKey.values()];
}
