import type { Item, TableClient } from './table-client.ts';

/**
 * Pages of lists that grow while a caller reads them. A page starts after an item, not after a number of items. So a
 * new item never makes a reader skip or repeat an item.
 */

/** The start of a page: a place in the list and a direction. A place is the part of a sort key after the prefix. */
export interface Position {
  readonly towards: 'next' | 'prev';
  readonly from: string;
}

/** The requested part of a list. Without a position it is the beginning of the list. */
export interface PageRange {
  readonly limit: number;
  readonly position?: Position;
}

/** A part of a list, and the positions of the previous and the next part; null if that part does not exist. */
export interface ListPage<Value> {
  readonly items: readonly Value[];
  readonly next: Position | null;
  readonly prev: Position | null;
}

/** A source of a list: the items of a partition whose sort keys begin with the prefix. */
export interface ListSource {
  readonly partition: string;
  readonly prefix: string;
}

interface Placed {
  readonly item: Item;
  readonly place: string;
}

/**
 * Merges several sources into one list and reads a page of it, the greatest place first; strongly consistent. The
 * sources are read in parallel, each up to the size of one page.
 */
export async function readPage(
  table: TableClient,
  sources: readonly ListSource[],
  { limit, position }: PageRange,
): Promise<ListPage<Item>> {
  const isBack = position?.towards === 'prev';
  // One item more than the page shows whether another page follows.
  const found = await Promise.all(sources.map((source) => readSource(table, source, { limit: limit + 1, position })));
  const ordered = found.flat().sort((one, other) => (one.place < other.place ? 1 : -1) * (isBack ? -1 : 1));

  const inOrder = isBack ? ordered.slice(0, limit).reverse() : ordered.slice(0, limit);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  const hasMore = ordered.length > limit;
  return {
    items: inOrder.map(({ item }) => item),
    next: last && (isBack || hasMore) ? { towards: 'next', from: last.place } : null,
    prev: first && (isBack ? hasMore : position !== undefined) ? { towards: 'prev', from: first.place } : null,
  };
}

/**
 * Takes a page of a list that is in memory as a whole.
 *
 * @param sorted the greatest place first
 */
export function pageOf<Value>(
  sorted: readonly Value[],
  placeOf: (value: Value) => string,
  { limit, position }: PageRange,
): ListPage<Value> {
  const isBack = position?.towards === 'prev';
  const after = position ? sorted.filter((value) => placeOf(value) < position.from) : sorted;
  const before = position ? sorted.filter((value) => placeOf(value) > position.from) : [];
  const items = isBack ? before.slice(-limit) : after.slice(0, limit);
  const hasMore = (isBack ? before : after).length > limit;
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    next: last && (isBack || hasMore) ? { towards: 'next', from: placeOf(last) } : null,
    prev: first && (isBack ? hasMore : position !== undefined) ? { towards: 'prev', from: placeOf(first) } : null,
  };
}

async function readSource(
  table: TableClient,
  { partition, prefix }: ListSource,
  { limit, position }: { readonly limit: number; readonly position: Position | undefined },
): Promise<Placed[]> {
  const items = await table.query({
    partition,
    sortBeginsWith: prefix,
    descending: position?.towards !== 'prev',
    limit,
    ...(position && { after: { pk: partition, sk: prefix + position.from } }),
  });
  return items.map((item) => ({ item, place: item.sk.slice(prefix.length) }));
}
