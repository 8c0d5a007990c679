import { dayMs, maximumCount, retentionMs, timingMs } from '../../contracts/limits.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { BookShelves } from '../../store/ledger/book-shelves.ts';
import { type ReconciliationProgress, Reconciliations } from '../../store/ledger/reconciliations.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import type { Log } from '../operation.ts';
import { beginWalk, nextStep, type WalkDeps, type WalkReport, type WalkScope } from './walk-books.ts';

export const reconcileDailyStores = {
  partnerships: Partnerships,
  reconciliations: Reconciliations,
  sequences: Sequences,
  shelves: BookShelves,
};

export interface ReconcileDailyDeps extends Omit<WalkDeps, 'scope' | 'report'> {
  readonly log: Log;
  readonly reconciliations: Pick<Reconciliations, 'find' | 'save'>;
}

const scope: WalkScope = {
  // Long enough that each change is checked by the reconciliation after it, when it is old enough.
  checkedChangesMs: timingMs.checkedChanges,
  checkedPurchases: maximumCount.checkedPurchases,
  uncountedMs: timingMs.uncountedSpend,
  readsCountersAgain: false,
};

/**
 * Finds every violated invariant of the books, once a day, in a walk whose use of memory does not grow with the table.
 * A run ends after some minutes; the next run continues.
 *
 * @returns the result, if this run finished the reconciliation; else undefined
 */
export async function reconcileDaily(deps: ReconcileDailyDeps): Promise<ReconciliationProgress | undefined> {
  const { reconciliations, now, log } = deps;
  const endsAt = now().getTime() + timingMs.reconcileRun;
  const walk = { ...deps, scope, report: reportTo(log) };
  let stored = await reconciliations.find();
  let progress = continued(stored, deps);
  while (progress && now().getTime() < endsAt) {
    const after: ReconciliationProgress = {
      ...(await nextStep(progress, endsAt, walk)),
      revision: progress.revision + 1,
    };
    if (!(await reconciliations.save(after, stored))) return undefined;
    if (after.finishedAt) {
      const { reading: _, ...result } = after;
      log.info('books.reconciled', result);
      return after;
    }
    [stored, progress] = [after, after];
  }
  return undefined;
}

/** The progress to continue from; undefined when the last reconciliation is less than a day old. */
function continued(
  stored: ReconciliationProgress | undefined,
  deps: ReconcileDailyDeps,
): ReconciliationProgress | undefined {
  const age = stored ? deps.now().getTime() - Date.parse(stored.startedAt) : 0;
  if (stored?.finishedAt && age < timingMs.reconcileEvery) return undefined;
  // After a long outage, a part of the shelves may be deleted, and what is left would look like violations.
  if (stored?.reading && !stored.finishedAt && age < retentionMs.reconciledBooks - dayMs) return stored;
  return beginWalk(stored ?? {}, deps);
}

const reportTo = (log: Log): WalkReport => ({
  onMismatches: (found) => {
    for (const { userId: _, ...mismatch } of found) log.error('books.mismatch', mismatch);
  },
});
