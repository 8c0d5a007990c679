import { awsMaximumItems, maximumAttempts } from '../../contracts/limits.ts';
import { ConditionFailedError, type Item, isNew, type Key, type Write } from './items.ts';
import type { TableClient } from './table-client.ts';

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
  readonly additions: readonly Addition[];
}

/**
 * Adds things to counters, each thing once, however often it is passed. The marks of things are written in the
 * transaction of their additions, so a thing is marked exactly when it is counted. Each transaction takes as many
 * things as fit, and writes each counter once.
 *
 * @param attempts of each transaction; a caller that would choose other counters after a conflict asks for one
 * @throws ContentionError when other transactions were in the way; all things may be passed again
 */
export async function countOnce(
  table: TableClient,
  things: readonly Countable[],
  attempts: number = maximumAttempts.write,
): Promise<void> {
  const distinct = new Map(things.toReversed().map((thing) => [nameOf(thing.mark), thing]));
  for (const group of groupsThatFit([...distinct.values()].reverse())) await countGroup(table, group, attempts);
}

async function countGroup(table: TableClient, things: readonly Countable[], attempts: number): Promise<void> {
  if (things.length === 0) return;
  try {
    await table.transact([...things.map(({ mark }) => markWrite(mark)), ...additionWrites(things)], attempts);
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    // Only marks have a condition, and they come first: a mark that exists belongs to a thing that is counted.
    const uncounted = things.filter((_, position) => !error.met.has(position));
    await countGroup(table, uncounted, attempts);
  }
}

const markWrite = (item: Item): Write => ({ kind: 'put', item, when: isNew });

/** One write for each counter. */
function additionWrites(things: readonly Countable[]): Write[] {
  const byCounter = Map.groupBy(
    things.flatMap(({ additions }) => additions),
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
  for (const { mark, additions } of things) {
    const needed = [nameOf(mark), ...additions.map(({ key }) => nameOf(key))];
    const united = new Set([...items, ...needed]);
    const fits = groups.length > 0 && united.size <= awsMaximumItems.itemsPerTransaction;
    items = fits ? united : new Set(needed);
    if (fits) groups.at(-1)?.push({ mark, additions });
    else groups.push([{ mark, additions }]);
  }
  return groups;
}

const nameOf = ({ pk, sk }: Key): string => `${pk}/${sk}`;
