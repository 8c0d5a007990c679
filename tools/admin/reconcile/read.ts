import { allPartnerships } from '../../../shared/operations/partnership/manage-partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { type Counter, countedEntryName, countersOf } from '../../../shared/store/ledger/totals.ts';
import { BookKeeper, type Books, bookPartitions } from './books.ts';
import { partitionOf, scan, type WholeTable } from './scan.ts';
import type { TotalsReading } from './totals.ts';

/** One look at everything: the books, and the counters before and after. */
export interface Reading extends TotalsReading {
  readonly books: Books;
}

/** Reads the whole table. Takes as long as the table is large, and costs a read of all of it. */
export async function readAll(platform: Platform, table: WholeTable): Promise<Reading> {
  const partnerships = (await allPartnerships(platform)).map(({ uuid }) => uuid);
  const now = platform.now();
  const before = await countersOfAll(platform, partnerships);
  const books = new BookKeeper();
  const counted = new Set<string>();
  for await (const item of scan(table, [...bookPartitions, 'counted'])) {
    if (partitionOf(item) === 'counted') counted.add(countedEntryName(item));
    else books.enter(item);
  }
  const after = await countersOfAll(platform, partnerships);
  return { books, partnerships, before, after, entries: books.entries, counted, now };
}

async function countersOfAll({ table }: Platform, partnerships: readonly string[]): Promise<Counter[]> {
  const counters: Counter[] = [];
  for (const uuid of partnerships) counters.push(...(await countersOf(table, uuid)));
  return counters;
}
