import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { dayMs, maximumAttempts, maximumCount, retentionMs, timingMs } from '../contracts/limits.ts';
import { partitions, ttlAttribute } from '../contracts/table.ts';
import { MergedUser } from '../domain/member/member.ts';
import {
  CountedTotals,
  CountersOfPartnership,
  findWrongTotals,
  joinCounted,
  sumCounted,
} from '../domain/reconciliation/counted-totals.ts';
import {
  type Books,
  findMismatches,
  keptUser,
  type Mismatch,
  mismatchText,
} from '../domain/reconciliation/invariants.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { BookShelves } from '../store/ledger/book-shelves.ts';
import { ledgerEntryName } from '../store/ledger/ledger.ts';
import {
  type BookReading,
  type BookScan,
  type ReconciliationProgress,
  Reconciliations,
} from '../store/ledger/reconciliations.ts';
import { countedEntryName, countersOf } from '../store/ledger/totals.ts';
import { programAccountKey } from '../store/member/program-accounts.ts';
import { isCounted, isOfUnknownAmount, keyOfPurchase } from '../store/member/spend.ts';
import { Sequences } from '../store/organisation/sequences.ts';
import type { Item, Key, TableClient } from '../store/table/table-client.ts';
import { BookBuilder, memberOf, mergedMark } from './book-builder.ts';
import type { Deps } from './operation.ts';

export const reconcileDailyStores = {
  campaigns: Campaigns,
  reconciliations: Reconciliations,
  sequences: Sequences,
  shelves: BookShelves,
};

export interface ReconcileDailyDeps extends Pick<Deps<typeof reconcileDailyStores>, 'now' | 'log' | 'nextUuid'> {
  readonly campaigns: Pick<Campaigns, 'partnershipsOf'>;
  readonly reconciliations: Pick<Reconciliations, 'find' | 'save'>;
  readonly sequences: Pick<Sequences, 'last'>;
  readonly shelves: Pick<BookShelves, 'put' | 'read'>;
  readonly table: Pick<TableClient, 'getAll' | 'query'>;
  readonly scan: Pick<BookScan, 'after'>;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/**
 * Finds every violated invariant of the books, once a day, like `reconcile`, in memory that does not grow with the table.
 * It scans the books and sorts their items by member onto shelves, which it stores. Then it compares shelf by shelf. The
 * items of a member are read at different moments, so a member with a mismatch is read again by another scan, until two
 * readings are the same. A run ends after some minutes; the next one continues.
 *
 * @returns the result, when this run came to the end
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

/** The shelves that are not for the items of members. */
const ownShelves = { merges: 'merges', suspects: 'suspects', counters: 'counters' } as const;

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

/** Stores rows as one more part of a reading, and changes the reading. */
async function withPart(
  progress: InReading,
  shelves: ReadonlyMap<string, readonly object[]>,
  change: Partial<BookReading>,
  { shelves: store, nextUuid, now, pause }: ReconcileDailyDeps,
): Promise<InReading> {
  const { reading } = progress;
  // The random end of the id: a large table has many parts, and the progress lists them.
  const part = nextUuid().slice(-12);
  const pacing = { now: now(), pause: () => pause(timingMs.reconcilePause) };
  await store.put({ uuid: reading.uuid, part }, shelves, pacing);
  return { ...progress, reading: { ...reading, parts: [...reading.parts, part], ...change } };
}

/** What is known before items are collected: the merges, and in later readings the members to read again. */
interface Known {
  readonly reading: BookReading;
  readonly merges: ReadonlyMap<number, number>;
  /** Undefined in the first reading, which reads everything. */
  readonly suspects: ReadonlyMap<string, string> | undefined;
}

async function readKnown(reading: BookReading, deps: ReconcileDailyDeps): Promise<Known> {
  const merges = await readMerges(reading, deps);
  return { reading, merges, suspects: await readSuspects(reading, merges, deps) };
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
    // The table has grown. The shelves would be too large, so it begins again with more of them.
    return { ...progress, reading: firstReading(nextUuid(), { ...reading, shelves: 4 * reading.shelves }) };
  }
  const own = known.suspects ? [] : [...shelves.values()].flat().filter(isUnknownPurchase);
  const unknownPurchases = reading.unknownPurchases + own.length;
  const next = position ? { position } : { comparing: 0 };
  return withPart({ ...progress, reading }, shelves, { items, unknownPurchases, ...next }, deps);
}

/** @returns how many items were put on the shelves of members */
function sortPage(items: readonly Item[], known: Known, shelves: Map<string, Item[]>): number {
  for (const item of items) if (item.sk === mergedMark && isReadable(item)) add(shelves, ownShelves.merges, item);
  const wanted = items
    .map((item) => ({ item, place: placeOf(item, known) }))
    .filter(({ place }) => known.suspects?.has(place.subject) ?? true);
  for (const { item, place } of wanted) add(shelves, place.shelf, item);
  return wanted.length;
}

function add(shelves: Map<string, Item[]>, shelf: string, item: Item): void {
  const items = shelves.get(shelf);
  if (items) items.push(item);
  else shelves.set(shelf, [item]);
}

const isUnknownPurchase = (item: Item) => item.pk.startsWith(partitions.countedSpend) && isOfUnknownAmount(item);

/** Where an item is compared: its shelf, and the subject of its mismatches. */
interface Place {
  readonly shelf: string;
  /** The id of the member, into whom others may have been merged; or the shelf of items without a member. */
  readonly subject: string;
}

/** All items of a member, and of the users who were merged into the member, have one place. */
function placeOf(item: Item, { reading: { shelves }, merges }: Known): Place {
  const member = memberOf(item);
  if (member === null) return placeOfNobody((Number.parseInt(item.pk.slice(-8), 16) || 0) % shelves);
  const kept = keptUser(member, merges);
  return { shelf: String(kept % shelves), subject: String(kept) };
}

const placeOfNobody = (shelf: number): Place => ({ shelf: String(shelf), subject: `shelf ${shelf}` });

/** The merges that the reading before found. A later merge makes its members suspects, and they are read again. */
async function readMerges({ previous }: BookReading, { shelves }: ReconcileDailyDeps): Promise<Map<number, number>> {
  const marks = previous ? await shelves.read(previous, ownShelves.merges, MergeRow) : [];
  return new Map(marks.map(({ userId, mergedInto }) => [userId, mergedInto]));
}
const MergeRow = z.pick(MergedUser, { userId: true, mergedInto: true });
/** Every later step reads the merges, so one that cannot be read would stop them all. */
const isReadable = (mark: Item) => z.safeParse(MergeRow, mark).success;

/** A subject with a mismatch, and a digest of its items. */
const Suspect = z.object({ subject: z.string(), print: z.string() });
type Suspect = z.infer<typeof Suspect>;

/** The suspects of the reading before, by subject; undefined in the first reading. */
async function readSuspects(
  { number, previous }: BookReading,
  merges: ReadonlyMap<number, number>,
  { shelves }: ReconcileDailyDeps,
): Promise<Map<string, string> | undefined> {
  if (number === 1 || !previous) return undefined;
  const rows = await shelves.read(previous, ownShelves.suspects, Suspect);
  // A suspect may have turned out to be merged. Its digest no longer fits, so the kept member is read once more.
  return new Map(
    rows.map(({ subject, print }) => [isMember(subject) ? subjectOf(Number(subject), merges) : subject, print]),
  );
}

const subjectOf = (userId: number, merges: ReadonlyMap<number, number>) => String(keptUser(userId, merges));
const isMember = (subject: string) => /^\d+$/.test(subject);

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
  report(certain, log);

  const again = reading.number < maximumAttempts.bookReading ? maximumCount.reconciledAgain - reading.suspects : 0;
  const suspects = open.slice(0, again);
  const totals = reading.number === 1 ? await sumTotals(marked(books, items), reading, shelf, deps) : [];
  const after: InReading = {
    ...progress,
    mismatches: progress.mismatches + certain.length,
    moving: progress.moving + open.length - suspects.length,
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

/**
 * The name of the shelf with the sums of the ledger entries on the shelves from 0 to `shelf`. Each step adds the entries
 * of one shelf to the sums of the step before, so a step has few sums in memory.
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

/** Required attributes that the scan does not read: names, texts of operators, tokens. No invariant depends on them. */
const unread = {
  ...{ firstName: '', lastName: '', statusTierId: null, userUuid: '', authenticationId: '' },
  ...{ campaignVersion: 0, flowId: 0, actionId: 0, mergedAt: '', isMoving: false },
  ...{ reason: '-', reference: '-', proposed: { operator: '', actor: null, at: '' } },
};

/** Builds the books of a shelf, with the items of other partitions that its items name. */
async function buildBooks(items: readonly Item[], reading: BookReading, { table }: ReconcileDailyDeps): Promise<Books> {
  const books = new BookBuilder();
  for (const item of items) books.add({ ...unread, ...item });
  const accounts = books.memberships.map(({ partnerId, externalId }) => programAccountKey(partnerId, externalId));
  for (const item of await table.getAll(distinct(accounts))) books.add(item);

  // Two members may report the same purchase. It counts for the first of them, whose items may be on another shelf.
  const { counted, reported } = books.spending;
  const elsewhere = reported.filter(({ purchase }) => !counted.has(purchase));
  for (const item of await table.getAll(distinct(elsewhere.map(({ purchase }) => keyOfPurchase(purchase))))) {
    if (isCounted(item)) counted.add(item.pk);
  }
  return { ...books, spending: { ...books.spending, unknownPurchases: reading.unknownPurchases } };
}

const distinct = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values(),
];

/**
 * A digest of the items of each subject. Marks of counted entries are left out: they belong to totals, and are deleted
 * after some days.
 */
function fingerprints(
  items: readonly Item[],
  subjects: ReadonlyMap<string, unknown>,
  known: Known,
): Map<string, string> {
  const own = Map.groupBy(
    items.filter(({ pk }) => !pk.startsWith(partitions.counted)),
    (item) => placeOf(item, known).subject,
  );
  const found = [...own].filter(([subject]) => subjects.has(subject) && isMember(subject));
  return new Map(found.map(([subject, rows]) => [subject, digestOf(rows.map(canonicalText).sort())]));
}

const digestOf = (texts: readonly string[]) => createHash('sha256').update(texts.join('\n')).digest('base64');

/** JSON with sorted names: DynamoDB returns attributes in any order. */
const canonicalText = (item: Item): string =>
  JSON.stringify(item, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

/** The entries of a shelf, each with the time at which it was counted into totals. */
function marked({ entries }: Books, items: readonly Item[]) {
  const marks = items.filter(({ pk }) => pk.startsWith(partitions.counted));
  const countedAt = new Map(
    marks.map((mark) => [countedEntryName(mark), Number(mark[ttlAttribute]) * 1000 - retentionMs.countedLedgerEntry]),
  );
  return entries.map((entry) => ({ entry, countedAt: countedAt.get(ledgerEntryName(entry)) }));
}

/** Ends a reading: compares totals after the first one, and begins another one if there are suspects. */
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
