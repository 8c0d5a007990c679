import * as z from 'zod/mini';
import { dayMs, maximumAttempts, maximumCount, retentionMs, timingMs } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import {
  CountedTotals,
  CountersOfPartnership,
  findWrongTotals,
  joinCounted,
  sumCounted,
} from '../../domain/reconciliation/counted-totals.ts';
import { findMismatches, type Mismatch, mismatchText } from '../../domain/reconciliation/invariants.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { BookShelves } from '../../store/ledger/book-shelves.ts';
import {
  type BookReading,
  type BookScan,
  type ReconciliationProgress,
  Reconciliations,
} from '../../store/ledger/reconciliations.ts';
import { countersOf } from '../../store/ledger/totals.ts';
import { isOfUnknownAmount } from '../../store/member/spend.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import type { Item, TableClient } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';
import { checkPurchases, type PurchaseChecks, purchasesIn } from './check-purchases.ts';
import { ownShelves, placeOfNobody, readKnown, type Suspect, sortPage, subjectOf } from './item-places.ts';
import { buildBooks, digestOf, fingerprints, marked } from './shelf-books.ts';

export const reconcileDailyStores = {
  campaigns: Campaigns,
  reconciliations: Reconciliations,
  sequences: Sequences,
  shelves: BookShelves,
};

export interface ReconcileDailyDeps
  extends Pick<Deps<typeof reconcileDailyStores>, 'now' | 'log' | 'nextUuid'>,
    PurchaseChecks {
  readonly campaigns: Pick<Campaigns, 'partnershipsOf'>;
  readonly reconciliations: Pick<Reconciliations, 'find' | 'save'>;
  readonly sequences: Pick<Sequences, 'last'>;
  readonly shelves: Pick<BookShelves, 'put' | 'read'>;
  readonly table: Pick<TableClient, 'getAll' | 'query'>;
  readonly scan: Pick<BookScan, 'after'>;
}

/**
 * Finds every violated invariant of the books, as the command `reconcile` does, but once a day. Its use of memory does
 * not grow with the table: it scans the books, stores the items of each member on one shelf, and then compares shelf by
 * shelf.
 *
 * A scan reads the items of a member at different moments. So another scan reads each member with a mismatch again. The
 * mismatch is certain when two readings in a row find the same items. If the items differ in every reading, the
 * mismatch stays uncertain. A run ends after some minutes; the next run continues.
 *
 * The first reading also checks the rewards of each purchase that changed in the last days.
 *
 * @returns the result, if this run finished the reconciliation; else undefined
 */
export async function reconcileDaily(deps: ReconcileDailyDeps): Promise<ReconciliationProgress | undefined> {
  const { reconciliations, now, log } = deps;
  const endsAt = now().getTime() + timingMs.reconcileRun;
  let stored = await reconciliations.find();
  let progress = continued(stored, deps);
  while (progress && now().getTime() < endsAt) {
    const after: ReconciliationProgress = {
      ...(await nextStep(progress, endsAt, deps)),
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
  { now, nextUuid }: ReconcileDailyDeps,
): ReconciliationProgress | undefined {
  const age = stored ? now().getTime() - Date.parse(stored.startedAt) : 0;
  if (stored?.finishedAt && age < timingMs.reconcileEvery) return undefined;
  // After a long outage, a part of the shelves may be deleted, and what is left would look like violations.
  if (stored?.reading && !stored.finishedAt && age < retentionMs.reconciledBooks - dayMs) return stored;
  const { reading, items = 0, revision = 0 } = stored ?? {};
  const counts = { accounts: 0, transactions: 0, mismatches: 0, moving: 0 };
  return {
    ...{ startedAt: now().toISOString(), items, revision, ...counts },
    reading: firstReading(nextUuid(), {
      shelves: Math.ceil(items / maximumCount.reconciledItems),
      previous: reading && { uuid: reading.uuid, parts: reading.parts },
    }),
  };
}

function firstReading(uuid: string, { shelves, previous }: Pick<BookReading, 'shelves' | 'previous'>): BookReading {
  const counts = { items: 0, unknownPurchases: 0, suspects: 0 };
  return { ...{ uuid, number: 1, shelves: Math.max(1, shelves), parts: [] }, ...counts, ...(previous && { previous }) };
}

/** A reading and the progress that it belongs to. */
type InReading = ReconciliationProgress & { readonly reading: BookReading };
const isInReading = (progress: ReconciliationProgress): progress is InReading => progress.reading !== undefined;

function nextStep(
  progress: ReconciliationProgress,
  endsAt: number,
  deps: ReconcileDailyDeps,
): Promise<ReconciliationProgress> {
  if (!isInReading(progress)) throw new Error('a reconciliation without a reading cannot go on');
  const { number, countersRead, comparing } = progress.reading;
  if (number === 1 && countersRead === undefined) return readCounters(progress, deps);
  return comparing === undefined ? collect(progress, endsAt, deps) : compareShelf(progress, comparing, deps);
}

/** Reads the counters of all totals, before any item of the ledger. */
async function readCounters(progress: InReading, deps: ReconcileDailyDeps): Promise<ReconciliationProgress> {
  const { campaigns, sequences, table, now } = deps;
  const from = now().toISOString();
  const rows: CountersOfPartnership[] = [];
  const last = await sequences.last('organisation');
  for (let merchant = 1; merchant <= last; merchant += 1) {
    for (const { uuid } of await campaigns.partnershipsOf('byMerchant', merchant)) {
      const counters = (await countersOf(table, uuid)).map(({ subject, totals }) => ({ ...subject, totals }));
      rows.push({ partnershipUuid: uuid, counters });
    }
  }
  const countersRead = { from, to: now().toISOString() };
  return withPart(progress, new Map([[ownShelves.counters, rows]]), { countersRead }, deps);
}

/** Stores rows as a new part of a reading. In the returned progress, the reading lists this part and has `change`. */
async function withPart(
  progress: InReading,
  shelves: ReadonlyMap<string, readonly object[]>,
  change: Partial<BookReading>,
  { shelves: store, nextUuid, now, pause }: ReconcileDailyDeps,
): Promise<InReading> {
  const { reading } = progress;
  // The random end of the UUID is enough: the progress lists all parts, so their names are short.
  const part = nextUuid().slice(-12);
  const pacing = { now: now(), pause: () => pause(timingMs.reconcilePause) };
  await store.put({ uuid: reading.uuid, part }, shelves, pacing);
  return { ...progress, reading: { ...reading, parts: [...reading.parts, part], ...change } };
}

/** Scans some pages, and puts their items on the shelves of their members. */
async function collect(progress: InReading, endsAt: number, deps: ReconcileDailyDeps): Promise<ReconciliationProgress> {
  const { scan, pause, now, nextUuid } = deps;
  const { position: begin, ...reading } = progress.reading;
  const known = await readKnown(reading, deps);
  const shelves = new Map<string, Item[]>();
  let position = begin;
  let held = 0;
  do {
    const page = await scan.after(position);
    held += sortPage(page.items, known, shelves);
    position = page.position;
    if (position) await pause(timingMs.reconcilePause);
  } while (position && held < maximumCount.reconciledItems && now().getTime() < endsAt);

  const items = reading.items + held;
  if (reading.number === 1 && items > 2 * reading.shelves * maximumCount.reconciledItems) {
    // The table has grown, and the shelves would be too large. So the reading begins again with more shelves.
    return { ...progress, reading: firstReading(nextUuid(), { ...reading, shelves: 4 * reading.shelves }) };
  }
  const own = known.suspects ? [] : [...shelves.values()].flat().filter(isUnknownPurchase);
  const unknownPurchases = reading.unknownPurchases + own.length;
  const next = position ? { position } : { comparing: 0 };
  return withPart({ ...progress, reading }, shelves, { items, unknownPurchases, ...next }, deps);
}

const isUnknownPurchase = (item: Item) => item.pk.startsWith(partitions.countedSpend) && isOfUnknownAmount(item);

const ItemRow = z.looseObject({ pk: z.string(), sk: z.string() });

/** Compares the items of one shelf. */
async function compareShelf(
  progress: InReading,
  shelf: number,
  deps: ReconcileDailyDeps,
): Promise<ReconciliationProgress> {
  const { shelves, now, log } = deps;
  const { reading } = progress;
  const known = await readKnown(reading, deps);
  // A run that died may have stored an item twice.
  const rows = await shelves.read(reading, String(shelf), ItemRow);
  const items = [...new Map(rows.map((row) => [`${row.pk} ${row.sk}`, row])).values()];
  const books = await buildBooks(items, reading, deps);
  const bySubject = Map.groupBy(findMismatches(books, now()), ({ userId }) =>
    userId === null ? placeOfNobody(shelf).subject : subjectOf(userId, known.merges),
  );

  const prints = fingerprints(items, bySubject, known);
  const [certain, open] = [[] as Mismatch[], [] as Suspect[]];
  for (const [subject, mismatches] of bySubject) {
    const print = prints.get(subject) ?? digestOf(mismatches.map(mismatchText));
    if (known.suspects?.get(subject) === print) certain.push(...mismatches);
    else open.push({ subject, print });
  }
  const changed = reading.number === 1 ? purchasesIn(books, changedSince(progress)) : [];
  const checked = changed.slice(0, maximumCount.checkedPurchases);
  certain.push(...(await checkPurchases(checked, deps)));
  report(certain, log);

  const again = reading.number < maximumAttempts.bookReading ? maximumCount.reconciledAgain - reading.suspects : 0;
  const suspects = open.slice(0, again);
  const totals = reading.number === 1 ? await sumTotals(marked(books, items), reading, shelf, deps) : [];
  const after: InReading = {
    ...progress,
    mismatches: progress.mismatches + certain.length,
    moving: progress.moving + open.length - suspects.length + changed.length - checked.length,
    ...(reading.number === 1 && {
      accounts: progress.accounts + books.memberships.length,
      transactions: progress.transactions + books.transactions.length,
    }),
  };
  const change = { comparing: shelf + 1, suspects: reading.suspects + suspects.length };
  const results = new Map<string, object[]>([
    [ownShelves.suspects, suspects],
    [totalsUpTo(shelf), totals],
  ]);
  const compared = await withPart(after, results, change, deps);
  return shelf + 1 < reading.shelves ? compared : endReading(compared, deps);
}

/** Long enough that each change is checked by the reconciliation after it, when it is old enough. */
const changedSince = ({ startedAt }: ReconciliationProgress) =>
  new Date(Date.parse(startedAt) - timingMs.checkedChanges);

/**
 * The name of the shelf that stores the totals of the ledger entries of all shelves up to `shelf`. Each step adds the
 * entries of one shelf to the totals of the step before, so a step never has the entries of all shelves in memory.
 */
const totalsUpTo = (shelf: number) => `totals-${shelf}`;

async function sumTotals(
  entries: Parameters<typeof sumCounted>[0],
  reading: BookReading,
  shelf: number,
  { shelves, now }: ReconcileDailyDeps,
): Promise<CountedTotals[]> {
  const { countersRead = { from: '', to: '' } } = reading;
  const before = shelf === 0 ? [] : await shelves.read(reading, totalsUpTo(shelf - 1), CountedTotals);
  return joinCounted([...before, ...sumCounted(entries, countersRead, now())]);
}

function report(mismatches: readonly Mismatch[], log: ReconcileDailyDeps['log']): void {
  for (const { userId: _, ...mismatch } of mismatches) log.error('books.mismatch', mismatch);
}

/** Ends a reading. After the first reading, it compares totals. If there are suspects, it begins another reading. */
async function endReading(progress: InReading, deps: ReconcileDailyDeps): Promise<ReconciliationProgress> {
  const { now, nextUuid } = deps;
  const { reading } = progress;
  const wrong = reading.number === 1 ? await compareTotals(reading, deps) : [];
  report(wrong, deps.log);
  const after = {
    ...progress,
    mismatches: progress.mismatches + wrong.length,
    ...(reading.number === 1 && { items: reading.items }),
  };
  if (reading.suspects === 0) return { ...after, finishedAt: now().toISOString() };
  const { unknownPurchases, uuid, parts } = reading;
  const next = firstReading(nextUuid(), { shelves: reading.shelves, previous: { uuid, parts } });
  return { ...after, reading: { ...next, number: reading.number + 1, unknownPurchases } };
}

async function compareTotals(reading: BookReading, { shelves }: ReconcileDailyDeps): Promise<Mismatch[]> {
  const counters = await shelves.read(reading, ownShelves.counters, CountersOfPartnership);
  return findWrongTotals(counters, await shelves.read(reading, totalsUpTo(reading.shelves - 1), CountedTotals));
}
