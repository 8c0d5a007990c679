import type { BatchWrite } from '../table/table-client.ts';

/** Collects the writes that callers make in one turn of the event loop into one call. */
export class WriteBuffer {
  readonly #write: (writes: readonly BatchWrite[]) => Promise<void>;
  #open: { readonly writes: BatchWrite[]; readonly done: Promise<void> } | undefined;

  constructor(write: (writes: readonly BatchWrite[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the writes are done. Rejects with the error of the call that contained them. */
  write(writes: readonly BatchWrite[]): Promise<void> {
    this.#open ??= this.#begin();
    this.#open.writes.push(...writes);
    return this.#open.done;
  }

  #begin() {
    const writes: BatchWrite[] = [];
    const turnEnds = new Promise((resolve) => setImmediate(resolve));
    const done = turnEnds.then(() => {
      this.#open = undefined;
      return this.#write(latestOfEachItem(writes));
    });
    return { writes, done };
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
