import * as z from 'zod/mini';
import { maximumAttempts, maximumCount, timingMs } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import {
  CountedTotals,
  CountersOfPartnership,
  compareTotals,
  findWrongTotals,
  joinCounted,
  sumCounted,
} from '../../domain/reconciliation/counted-totals.ts';
import { type Books, findMismatches, type Mismatch, mismatchText } from '../../domain/reconciliation/invariants.ts';
import type { BookShelves } from '../../store/ledger/book-shelves.ts';
import type { BookReading, BookSource, ReconciliationProgress } from '../../store/ledger/reconciliations.ts';
import { isOfUnknownAmount } from '../../store/member/spend.ts';
import type { Item, TableClient } from '../../store/table/table-client.ts';
import type { Sources } from '../operation.ts';
import { checkPurchases, type PurchaseChecks, purchasesIn, purchaseText } from './check-purchases.ts';
import {
  itemsOfMember,
  type Known,
  ownShelves,
  placeOfNobody,
  readKnown,
  type Suspect,
  sortPage,
  subjectOf,
} from './item-places.ts';
import { type CounterDeps, readAllCounters } from './read-counters.ts';
import { buildBooks, digestOf, fingerprints, marked } from './shelf-books.ts';

/**
 * The walk of every reconciliation, step by step. It scans the books, stores the items of each member on one shelf, and
 * then compares shelf by shelf. So it never holds the books of all members together.
 *
 * A scan reads the items of a member at different moments. So another scan reads each member with a mismatch again. The
 * mismatch is certain when two readings in a row find the same items: each change adds an item, counts a revision, or
 * changes a state for good, so the items never return to an earlier state. If the items differ in every reading, the
 * mismatch stays uncertain.
 *
 * The first reading also checks the rewards of purchases, and compares the totals of campaigns.
 */

/** How much a walk compares. */
export interface WalkScope {
  /** Only this member, and the users who were merged into the member. Absent: all members, and the totals. */
  readonly member?: number | undefined;
  /** How long before the walk a purchase may have changed last, to be checked. Milliseconds. */
  readonly checkedChangesMs: number;
  /** The purchases of one shelf that are checked. The rest counts as not compared. */
  readonly checkedPurchases: number;
  /** How long a ledger entry may be missing from the totals. */
  readonly uncountedMs: number;
  /** Whether the counters of totals are read again after the first scan: a short scan often finds them unchanged. */
  readonly readsCountersAgain: boolean;
}

/** Receives what a walk compares and finds. */
export interface WalkReport {
  /** Receives the books of each shelf, in the first reading. */
  readonly onBooks?: ((books: Books) => void) | undefined;
  /** Receives mismatches that are certain. */
  readonly onMismatches: (found: readonly Mismatch[]) => void;
  /** Receives the subjects that are not compared, because their items changed between all readings, or are too many. */
  readonly onMoving?: (subjects: readonly string[]) => void;
  /** Receives the number of campaigns whose totals were compared. */
  readonly onTotals?: (campaigns: number) => void;
}

export interface WalkDeps extends Pick<Sources, 'now' | 'nextUuid'>, PurchaseChecks, CounterDeps {
  readonly shelves: Pick<BookShelves, 'put' | 'read'>;
  readonly table: Pick<TableClient, 'getAll' | 'query'>;
  readonly scan: BookSource;
  readonly scope: WalkScope;
  readonly report: WalkReport;
}

/** Begins a walk. `stored` is the progress of the last walk on the same shelves. */
export function beginWalk(
  stored: Partial<ReconciliationProgress>,
  { now, nextUuid }: Pick<WalkDeps, 'now' | 'nextUuid'>,
): ReconciliationProgress {
  const { reading, items = 0, revision = 0 } = stored;
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

/** Takes the next step of a walk. The walk has ended when the returned progress has `finishedAt`. */
export function nextStep(
  progress: ReconciliationProgress,
  endsAt: number,
  deps: WalkDeps,
): Promise<ReconciliationProgress> {
  if (!isInReading(progress)) throw new Error('a reconciliation without a reading cannot go on');
  const { number, countersRead, comparing } = progress.reading;
  if (number === 1 && countersRead === undefined) return readCounters(progress, deps);
  return comparing === undefined ? collect(progress, endsAt, deps) : compareShelf(progress, comparing, deps);
}

/** Reads the counters of all totals, before any item of the ledger. */
async function readCounters(progress: InReading, deps: WalkDeps): Promise<ReconciliationProgress> {
  const { scope, now } = deps;
  const from = now().toISOString();
  const rows = scope.member === undefined ? await readAllCounters(deps) : [];
  const countersRead = { from, to: now().toISOString() };
  return withPart(progress, new Map([[ownShelves.counters, rows]]), { countersRead }, deps);
}

/** Stores rows as a new part of a reading. In the returned progress, the reading lists this part and has `change`. */
async function withPart(
  progress: InReading,
  shelves: ReadonlyMap<string, readonly object[]>,
  change: Partial<BookReading>,
  { shelves: store, nextUuid, now, pause }: WalkDeps,
): Promise<InReading> {
  const { reading } = progress;
  // The random end of the UUID is enough: the progress lists all parts, so their names are short.
  const part = nextUuid().slice(-12);
  const pacing = { now: now(), pause: () => pause(timingMs.reconcilePause) };
  await store.put({ uuid: reading.uuid, part }, shelves, pacing);
  return { ...progress, reading: { ...reading, parts: [...reading.parts, part], ...change } };
}

/** Scans some pages, and puts their items on the shelves of their members. */
async function collect(progress: InReading, endsAt: number, deps: WalkDeps): Promise<ReconciliationProgress> {
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

/** The items of one shelf, and the books that they are. */
interface Shelf {
  readonly number: number;
  readonly items: readonly Item[];
  readonly books: Books;
}

/** Compares the items of one shelf. */
async function compareShelf(progress: InReading, number: number, deps: WalkDeps): Promise<ReconciliationProgress> {
  const { reading } = progress;
  const known = await readKnown(reading, deps);
  const shelf = await readShelf({ number, known }, deps);
  const { certain, open } = judge(shelf, known, deps.now());
  const again = reading.number < maximumAttempts.bookReading ? maximumCount.reconciledAgain - reading.suspects : 0;
  const suspects = open.slice(0, again).map(({ subject, print }): Suspect => ({ subject, print }));
  const moving = open.slice(again);
  deps.report.onMoving?.(moving.flatMap(({ mismatches }) => [...new Set(mismatches.map((one) => one.subject))]));
  const after = { ...withMismatches(progress, certain, deps), moving: progress.moving + moving.length };

  const isFirst = reading.number === 1;
  const totals = isFirst ? await sumTotals(shelf, reading, deps) : [];
  const results = new Map<string, object[]>([
    [ownShelves.suspects, suspects],
    [totalsUpTo(number), totals],
  ]);
  const change = { comparing: number + 1, suspects: reading.suspects + suspects.length };
  const compared = await withPart(isFirst ? await checkOnce(after, shelf, deps) : after, results, change, deps);
  return number + 1 < reading.shelves ? compared : endReading(compared, deps);
}

async function readShelf(
  { number, known }: { readonly number: number; readonly known: Known },
  deps: WalkDeps,
): Promise<Shelf> {
  const { member } = deps.scope;
  // A run that died may have stored an item twice.
  const rows = await deps.shelves.read(known.reading, String(number), ItemRow);
  const all = [...new Map(rows.map((row) => [`${row.pk} ${row.sk}`, row])).values()];
  const items = member === undefined ? all : itemsOfMember(member, all, known);
  return { number, items, books: await buildBooks(items, known.reading, deps) };
}

/** Finds the mismatches of a shelf: those that are certain, and by subject those that another reading has to confirm. */
function judge({ number, items, books }: Shelf, known: Known, now: Date) {
  const bySubject = Map.groupBy(findMismatches(books, now), ({ userId }) =>
    userId === null ? placeOfNobody(number).subject : subjectOf(userId, known.merges),
  );
  const prints = fingerprints(items, bySubject, known);
  const found = [...bySubject].map(([subject, mismatches]) => ({
    ...{ subject, mismatches, print: prints.get(subject) ?? digestOf(mismatches.map(mismatchText)) },
  }));
  const isCertain = ({ subject, print }: Suspect) => known.suspects?.get(subject) === print;
  return {
    certain: found.filter(isCertain).flatMap(({ mismatches }) => mismatches),
    open: found.filter((one) => !isCertain(one)),
  };
}

/** Counts the books of a shelf, and checks their purchases. Only the first reading does that. */
async function checkOnce(progress: InReading, { books }: Shelf, deps: WalkDeps): Promise<InReading> {
  const { scope, report } = deps;
  report.onBooks?.(books);
  const since = new Date(Math.max(0, Date.parse(progress.startedAt) - scope.checkedChangesMs));
  const changed = purchasesIn(books, since);
  const left = changed.slice(scope.checkedPurchases);
  report.onMoving?.(left.map(({ key }) => purchaseText(key)));
  return {
    ...withMismatches(progress, await checkPurchases(changed.slice(0, scope.checkedPurchases), deps), deps),
    moving: progress.moving + left.length,
    accounts: progress.accounts + books.memberships.length,
    transactions: progress.transactions + books.transactions.length,
  };
}

/** Reports mismatches, and counts them in the progress. */
function withMismatches(progress: InReading, found: readonly Mismatch[], { report }: WalkDeps): InReading {
  report.onMismatches(found);
  return { ...progress, mismatches: progress.mismatches + found.length };
}

/**
 * The name of the shelf that stores the totals of the ledger entries of all shelves up to `shelf`. Each step adds the
 * entries of one shelf to the totals of the step before, so a step never has the entries of all shelves in memory.
 */
const totalsUpTo = (shelf: number) => `totals-${shelf}`;

async function sumTotals(
  { number, items, books }: Shelf,
  reading: BookReading,
  { shelves, now, scope }: WalkDeps,
): Promise<CountedTotals[]> {
  const { countersRead = { from: '', to: '' } } = reading;
  const before = number === 0 ? [] : await shelves.read(reading, totalsUpTo(number - 1), CountedTotals);
  const ages = { ...countersRead, toleratedMs: scope.uncountedMs };
  return joinCounted([...before, ...sumCounted(marked(books, items), ages, now())]);
}

/** Ends a reading. After the first reading, it compares totals. If there are suspects, it begins another reading. */
async function endReading(progress: InReading, deps: WalkDeps): Promise<ReconciliationProgress> {
  const { now, nextUuid } = deps;
  const { reading } = progress;
  const isFirst = reading.number === 1;
  const wrong = isFirst ? await findWrongTotalsOf(reading, deps) : [];
  const after = { ...withMismatches(progress, wrong, deps), ...(isFirst && { items: reading.items }) };
  if (reading.suspects === 0) return { ...after, finishedAt: now().toISOString() };
  const { unknownPurchases, uuid, parts } = reading;
  const next = firstReading(nextUuid(), { shelves: reading.shelves, previous: { uuid, parts } });
  return { ...after, reading: { ...next, number: reading.number + 1, unknownPurchases } };
}

async function findWrongTotalsOf(reading: BookReading, deps: WalkDeps): Promise<Mismatch[]> {
  const { shelves, scope, report } = deps;
  const counters = await shelves.read(reading, ownShelves.counters, CountersOfPartnership);
  const counted = await shelves.read(reading, totalsUpTo(reading.shelves - 1), CountedTotals);
  const again = scope.readsCountersAgain && counters.length > 0 ? await readAllCounters(deps) : [];
  const compared = compareTotals(counters, counted, again);
  report.onTotals?.(compared.length);
  return findWrongTotals(compared);
}
