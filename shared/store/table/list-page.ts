import type { Item } from './items.ts';
import type { TableClient } from './table-client.ts';

/**
 * Pages of lists that grow while they are read. A page begins behind an item's place in the order and
 * not after a number of items, so that nothing is left out or comes twice when new ones come in front.
 */

/** Where a page begins: on which side of which place. Places are what follows the prefix in sort keys. */
export interface Position {
  readonly towards: 'next' | 'prev';
  readonly from: string;
}

/** Which part of a list is wanted; without a position, its beginning. */
export interface PageRange {
  readonly limit: number;
  readonly position?: Position;
}

/** A part of a list, and where the parts beside it begin; null where there is none. */
export interface ListPage<Value> {
  readonly items: readonly Value[];
  readonly next: Position | null;
  readonly prev: Position | null;
}

/** Some of the items that make up a list: those of a partition whose sort keys begin with the prefix. */
export interface ListSource {
  readonly partition: string;
  readonly prefix: string;
}

interface Placed {
  readonly item: Item;
  readonly place: string;
}

/**
 * One page of the items of several sources together, the greatest place first; strongly consistent.
 * The sources are read at the same time and each only as far as a page can reach into it.
 */
export async function readPage(
  table: TableClient,
  sources: readonly ListSource[],
  { limit, position }: PageRange,
): Promise<ListPage<Item>> {
  const isBack = position?.towards === 'prev';
  // One more than the page holds tells whether another follows.
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
