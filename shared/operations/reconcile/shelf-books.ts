import { createHash } from 'node:crypto';
import { retentionMs } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { MarkedEntry } from '../../domain/reconciliation/counted-totals.ts';
import type { Books } from '../../domain/reconciliation/invariants.ts';
import { ledgerEntryName } from '../../store/ledger/ledger.ts';
import type { BookReading, BookSource } from '../../store/ledger/reconciliations.ts';
import { countedEntryName } from '../../store/ledger/totals.ts';
import { programAccountKey } from '../../store/member/program-accounts.ts';
import { isCounted, keyOfPurchase } from '../../store/member/spend.ts';
import type { Item, Key, TableClient } from '../../store/table/table-client.ts';
import { BookBuilder } from './book-builder.ts';
import { isMember, type Known, placeOf } from './item-places.ts';

/** Builds the books of a shelf. They include the program accounts and purchases that the shelf's items name. */
export async function buildBooks(
  items: readonly Item[],
  { unknownPurchases }: Pick<BookReading, 'unknownPurchases'>,
  { table, scan }: { readonly table: Pick<TableClient, 'getAll'>; readonly scan: Pick<BookSource, 'unread'> },
): Promise<Books> {
  const books = new BookBuilder();
  for (const item of items) books.add({ ...scan.unread, ...item });
  const accounts = books.memberships.map(({ partnerId, externalId }) => programAccountKey(partnerId, externalId));
  for (const item of await table.getAll(distinct(accounts))) books.add(item);

  // Two members may report the same purchase. It counts for the first of them, whose items may be on another shelf.
  const { counted, reported } = books.spending;
  const elsewhere = reported.filter(({ purchase }) => !counted.has(purchase));
  for (const item of await table.getAll(distinct(elsewhere.map(({ purchase }) => keyOfPurchase(purchase))))) {
    if (isCounted(item)) counted.add(item.pk);
  }
  return { ...books, spending: { ...books.spending, unknownPurchases } };
}

const distinct = (keys: readonly Key[]): Key[] => [
  ...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values(),
];

/**
 * Returns one digest for each subject, of all its items except marks of counted entries: those belong to totals, and
 * are deleted after some days.
 */
export function fingerprints(
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

export const digestOf = (texts: readonly string[]) => createHash('sha256').update(texts.join('\n')).digest('base64');

/** JSON with sorted names: DynamoDB returns attributes in any order. */
const canonicalText = (item: Item): string =>
  JSON.stringify(item, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

/** The entries of a shelf, each with the time at which it was counted into totals. */
export function marked({ entries }: Pick<Books, 'entries'>, items: readonly Item[]): MarkedEntry[] {
  const marks = items.filter(({ pk }) => pk.startsWith(partitions.counted));
  const countedAt = new Map(
    marks.map((mark) => [countedEntryName(mark), Number(mark[ttlAttribute]) * 1000 - retentionMs.countedLedgerEntry]),
  );
  return entries.map((entry) => ({ entry, countedAt: countedAt.get(ledgerEntryName(entry)) }));
}
