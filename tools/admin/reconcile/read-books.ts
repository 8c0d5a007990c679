import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { bookPartitions, type Partition, partitions } from '../../../shared/contracts/table.ts';
import { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { Books } from '../../../shared/domain/reconciliation/invariants.ts';
import { BookBuilder, partitionOf } from '../../../shared/operations/reconcile/book-builder.ts';
import { readAllCounters } from '../../../shared/operations/reconcile/read-counters.ts';
import type { TotalsReading } from '../../../shared/operations/reconcile/repair-totals.ts';
import { marked } from '../../../shared/operations/reconcile/shelf-books.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import type { BookPage } from '../../../shared/store/ledger/reconciliations.ts';
import type { Item, Key } from '../../../shared/store/table/table-client.ts';

/** A table that operators and tests may read completely. No function may. */
export interface WholeTable {
  readonly name: string;
  readonly documents: DynamoDBDocumentClient;
}

/** One reading of the whole table: the books, and the counters of totals before and after the books. */
export interface Reading extends TotalsReading {
  readonly books: Books;
}

/** Reads the whole table. Time and cost grow with the size of the table. */
export async function readAll(platform: Platform, table: WholeTable): Promise<Reading> {
  const from = platform.now().toISOString();
  const before = await readAllCounters(platform);
  const books = new BookBuilder();
  const marks: Item[] = [];
  for await (const item of scan(table, [...bookPartitions, 'counted'])) {
    if (partitionOf(item) === 'counted') marks.push(item);
    else books.add(item);
  }
  const after = await readAllCounters(platform);
  const readAt = { from, to: platform.now().toISOString() };
  return { books, readAt, before, after, entries: marked(books, marks), unreadable: books.unreadable };
}

/** Reads the ledger of all members. Time and cost grow with the size of the table. */
export async function readLedger(table: WholeTable): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for await (const item of scan(table, ['ledger'])) entries.push(LedgerEntry.parse(item));
  return entries;
}

/**
 * Reads every item of some partitions, page by page. Each read is strongly consistent, but the items are read at
 * different moments.
 */
export async function* scan(table: WholeTable, wanted: readonly Partition[]): AsyncGenerator<Item> {
  let position: Key | undefined;
  do {
    const page = await readPage(table, wanted, position);
    yield* page.items;
    position = page.position;
  } while (position);
}

/** Reads the page of some partitions that begins after a position; without a position, the first page. */
export async function readPage(
  { name, documents }: WholeTable,
  wanted: readonly Partition[],
  position: Key | undefined,
): Promise<BookPage> {
  const { Items = [], LastEvaluatedKey } = await documents.send(
    new ScanCommand({
      TableName: name,
      ConsistentRead: true,
      FilterExpression: wanted.map((_, index) => `begins_with(pk, :p${index})`).join(' OR '),
      ExpressionAttributeValues: Object.fromEntries(wanted.map((name, index) => [`:p${index}`, partitions[name]])),
      ...(position && { ExclusiveStartKey: position }),
    }),
  );
  const items = Items as Item[];
  return LastEvaluatedKey ? { items, position: LastEvaluatedKey as Key } : { items };
}
