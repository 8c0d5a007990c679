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
  /** The same number of additions for each attempt, the first of which is 1. Another attempt may add to other counters. */
  readonly additionsFor: (attempt: number) => readonly Addition[];
}

/**
 * Adds things to counters, each thing once, however often it is passed. The marks of things are written in the
 * transaction of their additions, so a thing is marked exactly when it is counted. Each transaction takes as many
 * things as fit, and writes each counter once. A transaction that met a conflict is repeated after a pause, which is
 * longer each time.
 *
 * @throws ContentionError when a transaction met a conflict `maximumAttempts.write` times; all things may be passed again
 */
export async function countOnce(table: TableClient, things: readonly Countable[]): Promise<void> {
  const distinct = new Map(things.toReversed().map((thing) => [nameOf(thing.mark), thing]));
  for (const group of groupsThatFit([...distinct.values()].reverse())) await countGroup(table, group, 1);
}

async function countGroup(table: TableClient, things: readonly Countable[], attempt: number): Promise<void> {
  if (things.length === 0) return;
  try {
    await table.transact([...things.map(({ mark }) => markWrite(mark)), ...additionWrites(things, attempt)], 1);
  } catch (error) {
    if (error instanceof ContentionError && attempt < maximumAttempts.write) {
      await table.pause(attempt);
      return countGroup(table, things, attempt + 1);
    }
    if (!(error instanceof ConditionFailedError)) throw error;
    // Only marks have a condition, and they come first: a mark that exists belongs to a thing that is counted.
    const uncounted = things.filter((_, position) => !error.met.has(position));
    await countGroup(table, uncounted, attempt);
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

/** The things in their order, split into groups whose marks and counters fit into a transaction. */
function groupsThatFit(things: readonly Countable[]): Countable[][] {
  const groups: Countable[][] = [];
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
