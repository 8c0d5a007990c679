import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { timingMs } from '../../contracts/limits.ts';
import { type Mismatch, mismatchText } from '../../domain/reconciliation/invariants.ts';
import type { BookShelves } from '../../store/ledger/book-shelves.ts';
import type { Reconciliations } from '../../store/ledger/reconciliations.ts';
import { beginWalk, nextStep, type WalkDeps, type WalkReport, type WalkScope } from './walk-books.ts';

export interface ReconcileNowDeps extends Omit<WalkDeps, 'scope' | 'report' | 'shelves'> {
  readonly reconciliations: Pick<Reconciliations, 'find'>;
}

/** The result of a reconciliation. */
export interface Reconciliation {
  /** The mismatches that are certain. */
  readonly mismatches: readonly Mismatch[];
  /** Subjects with a possible mismatch whose items changed between every two readings, so it is not certain. */
  readonly moving: readonly string[];
  /** The number of campaigns whose totals were compared. */
  readonly totals: number;
}

/** An operator who waits for the result wants every purchase checked, and every entry that the stream has left out. */
const everything: WalkScope = {
  checkedChangesMs: Number.POSITIVE_INFINITY,
  checkedPurchases: Number.POSITIVE_INFINITY,
  uncountedMs: timingMs.uncountedLedgerRow,
  readsCountersAgain: true,
};

/**
 * Makes the walk of the daily reconciliation from its begin to its end, with the shelves in memory. It writes nothing.
 *
 * @param wanted the member to compare, if not all members; and a function that receives the books of each shelf
 */
export async function reconcileNow(
  deps: ReconcileNowDeps,
  { member, onBooks }: Pick<WalkScope, 'member'> & Pick<WalkReport, 'onBooks'> = {},
): Promise<Reconciliation> {
  const mismatches = new Map<string, Mismatch>();
  const moving = new Set<string>();
  let totals = 0;
  const report: WalkReport = {
    onBooks,
    // Members of two shelves may have reported the same purchase.
    onMismatches: (found) => {
      for (const one of found) mismatches.set(mismatchText(one), one);
    },
    onMoving: (subjects) => {
      for (const subject of subjects) moving.add(subject);
    },
    onTotals: (campaigns) => {
      totals = campaigns;
    },
  };
  const walk = { ...deps, report, shelves: new MemoryShelves(), scope: { ...everything, member } };
  const { items = 0 } = (await deps.reconciliations.find()) ?? {};
  let progress = beginWalk({ items }, deps);
  while (!progress.finishedAt) progress = await nextStep(progress, Number.POSITIVE_INFINITY, walk);
  return { mismatches: [...mismatches.values()], moving: [...moving], totals };
}

/** Shelves in the memory of this process. They are compressed, because they hold the books of all members. */
class MemoryShelves implements Pick<BookShelves, 'put' | 'read'> {
  readonly #rows = new Map<string, Uint8Array>();

  async put(...[{ uuid, part }, shelves]: Parameters<BookShelves['put']>): Promise<void> {
    for (const [shelf, rows] of shelves) this.#rows.set(`${uuid} ${shelf} ${part}`, gzipSync(JSON.stringify(rows)));
  }

  async read<Schema extends z.ZodMiniType>(
    { uuid, parts }: Parameters<BookShelves['read']>[0],
    shelf: string,
    schema: Schema,
  ): Promise<z.infer<Schema>[]> {
    const own = parts.flatMap((part) => this.#rows.get(`${uuid} ${shelf} ${part}`) ?? []);
    return own.flatMap((rows) => z.array(schema).parse(JSON.parse(gunzipSync(rows).toString())));
  }
}
