import { awsMaximumItems, maximumAttempts } from '../../contracts/limits.ts';
import type { TableClient } from './table-client.ts';
import { ConditionFailedError, ContentionError, type Item, isNew, type Key, type Write } from './table-client.ts';

/** An update that adds to a counter. */
export interface Addition {
  readonly key: Key;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add: Readonly<Record<string, number>>;
}

/** A thing to count. */
export interface Countable {
  /** The item that marks the thing as counted. Its key identifies the thing. */
  readonly mark: Item;
  /**
   * Returns the additions of an attempt; the first attempt is 1. A later attempt may choose other counters, but has to
   * return the same number of additions.
   */
  readonly additionsFor: (attempt: number) => readonly Addition[];
}

/**
 * Adds things to counters. A repeated thing is not added twice: the DynamoDB transaction that adds the thing also
 * writes its mark. Each DynamoDB transaction contains as many things as fit, and one write for each counter. After a
 * conflict it is repeated, with growing pauses.
 *
 * @returns the things whose mark existed before, or was written for an earlier thing of this call
 * @throws ContentionError after `maximumAttempts.write` conflicts of a transaction. The caller may repeat the call
 */
export async function countOnce<Thing extends Countable>(
  table: TableClient,
  things: readonly Thing[],
): Promise<Thing[]> {
  const distinct = new Map(things.toReversed().map((thing) => [nameOf(thing.mark), thing]));
  const known = things.filter((thing) => distinct.get(nameOf(thing.mark)) !== thing);
  for (const group of groupsThatFit([...distinct.values()].reverse())) {
    known.push(...(await countGroup(table, group, 1)));
  }
  return known;
}

async function countGroup<Thing extends Countable>(
  table: TableClient,
  things: readonly Thing[],
  attempt: number,
): Promise<Thing[]> {
  if (things.length === 0) return [];
  try {
    await table.transact([...things.map(({ mark }) => markWrite(mark)), ...additionWrites(things, attempt)], 1);
    return [];
  } catch (error) {
    if (error instanceof ContentionError && attempt < maximumAttempts.write) {
      await table.pause(attempt);
      return countGroup(table, things, attempt + 1);
    }
    if (!(error instanceof ConditionFailedError)) throw error;
    // Only marks have a condition, and marks are first in the list: a failed condition means that the thing is counted.
    const uncounted = things.filter((_, position) => !error.found.has(position));
    const known = things.filter((_, position) => error.found.has(position));
    return [...known, ...(await countGroup(table, uncounted, attempt))];
  }
}

const markWrite = (item: Item): Write => ({ kind: 'put', item, when: isNew });

/** One write for each counter. */
function additionWrites(things: readonly Countable[], attempt: number): Write[] {
  const byCounter = Map.groupBy(
    things.flatMap(({ additionsFor }) => additionsFor(attempt)),
    ({ key }) => nameOf(key),
  );
  return [...byCounter.values()].flatMap((additions) =>
    additions.slice(0, 1).map(({ key, set }): Write => {
      const add = sumOf(additions.map((one) => one.add));
      return { kind: 'update', key, changes: { ...(set && { set }), add } };
    }),
  );
}

function sumOf(additions: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const addition of additions) {
    for (const [attribute, amount] of Object.entries(addition)) sum[attribute] = (sum[attribute] ?? 0) + amount;
  }
  return sum;
}

/** Splits the things, in their order, into groups that fit into one DynamoDB transaction each. */
function groupsThatFit<Thing extends Countable>(things: readonly Thing[]): Thing[][] {
  const groups: Thing[][] = [];
  let items = new Set<string>();
  for (const thing of things) {
    const needed = [nameOf(thing.mark), ...thing.additionsFor(1).map(({ key }) => nameOf(key))];
    const united = new Set([...items, ...needed]);
    const fits = groups.length > 0 && united.size <= awsMaximumItems.itemsPerTransaction;
    items = fits ? united : new Set(needed);
    if (fits) groups.at(-1)?.push(thing);
    else groups.push([thing]);
  }
  return groups;
}

const nameOf = ({ pk, sk }: Key): string => `${pk}/${sk}`;
