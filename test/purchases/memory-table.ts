import { isDeepStrictEqual } from 'node:util';
import { awsMaximumItems } from '../../shared/contracts/limits.ts';
import { type TableIndex, tableIndexes, tableKey } from '../../shared/contracts/table.ts';
import type { QueryOptions } from '../../shared/store/table/expressions.ts';
import {
  type BatchWrite,
  type Changes,
  type Check,
  type Condition,
  ConditionFailedError,
  type Item,
  type Key,
  needsToken,
  TableClient,
  type Write,
} from '../../shared/store/table/table-client.ts';
import { copyOf } from '../support/copy-of.ts';

/** A change of one item. `before` is absent for a new item, `after` for a deleted one. */
export interface Change {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** The items of one partition of the table or of an index, in the order of their places. Never changed, only replaced. */
type Shelf = readonly Item[];

/**
 * The table in memory. It carries out writes and conditions as data, without requests and expressions, so it is fast
 * enough for a hundred thousand histories. A differential test compares it with DynamoDB Local.
 *
 * A snapshot costs nothing, and a return to it costs as much as the writes since: the journal keeps the replaced shelf
 * of each write. So a tree of histories plays each common beginning once.
 */
export class MemoryTable extends TableClient {
  readonly #shelves = new Map<string, Shelf>();
  readonly #journal: { readonly name: string; readonly shelf: Shelf | undefined }[] = [];
  #changes: Change[] = [];

  constructor() {
    super(undefined as never, 'memory');
  }

  /** Remembers the present state. The result brings the table back to it; the latest snapshot has to go back first. */
  snapshot(): () => void {
    const [size, changes] = [this.#journal.length, this.#changes];
    this.#changes = [...changes];
    return () => {
      this.#changes = changes;
      for (const { name, shelf } of this.#journal.splice(size).reverse()) {
        if (shelf) this.#shelves.set(name, shelf);
        else this.#shelves.delete(name);
      }
    };
  }

  /** Returns the changes since the last call, in their order: the stream of the table. */
  takeChanges(): readonly Change[] {
    const taken = this.#changes;
    this.#changes = [];
    return taken;
  }

  /** Every item of the table. */
  items(): Item[] {
    return [...this.#shelves].flatMap(([name, shelf]) => (name.startsWith(tablePrefix) ? shelf : []));
  }

  /** An item, at once. */
  item(key: Key): Item | undefined {
    return this.#find(key);
  }

  override async get(key: Key): Promise<Item | undefined> {
    return this.#find(key);
  }

  override async getAll(keys: readonly Key[]): Promise<Item[]> {
    refuseTwins(keys);
    return keys.flatMap((key) => this.#find(key) ?? []);
  }

  override async query({ index, partition, limit, descending, after, ...sort }: QueryOptions): Promise<Item[]> {
    const shelf = this.#shelves.get(shelfName(index, partition)) ?? [];
    const found = shelf.filter((item) => isInRange(item, index, sort));
    if (descending) found.reverse();
    const rest = after ? found.filter(({ sk }) => (descending ? sk < after.sk : sk > after.sk)) : found;
    const page = limit === undefined ? rest : rest.slice(0, limit);
    return index && tableIndexes[index].projection === 'KEYS_ONLY' ? page.map((item) => keysOf(item, index)) : page;
  }

  override async write(write: Write): Promise<Item | undefined> {
    if (needsToken(write)) {
      await this.transact([write]);
      return undefined;
    }
    const before = this.#find(keyOf(write));
    if (!holds(before, write.when)) throw new ConditionFailedError(new Map([[0, before ?? null]]));
    const after = this.#carryOut(write, before);
    return write.kind === 'update' ? after : undefined;
  }

  override async transact(writes: readonly (Write | Check)[]): Promise<void> {
    if (writes.length === 0 || writes.length > awsMaximumItems.itemsPerTransaction) {
      throw new Error(`a DynamoDB transaction of ${writes.length} items`);
    }
    refuseTwins(writes.map(keyOf));
    const befores = writes.map((write) => this.#find(keyOf(write)));
    const found = new Map<number, Item | null>();
    for (const [position, write] of writes.entries()) {
      if (holds(befores[position], write.when)) continue;
      if (write.kind === 'update' && write.refusal) throw write.refusal;
      found.set(position, befores[position] ?? null);
    }
    if (found.size > 0) throw new ConditionFailedError(found);
    for (const [position, write] of writes.entries()) {
      if (write.kind !== 'check') this.#carryOut(write, befores[position]);
    }
  }

  override async writeBatch(writes: readonly BatchWrite[]): Promise<void> {
    refuseTwins(writes.map(keyOf));
    for (const write of writes) this.#carryOut(write, this.#find(keyOf(write)));
  }

  override async pause(): Promise<void> {}

  #find({ pk, sk }: Key): Item | undefined {
    const shelf = this.#shelves.get(tablePrefix + pk);
    return shelf?.find((item) => item.sk === sk);
  }

  #carryOut(write: Write, before: Item | undefined): Item | undefined {
    const after = afterWrite(write, before);
    if (isDeepStrictEqual(before, after)) return before;
    this.#replace(undefined, before, after);
    for (const index of indexNames) this.#replace(index, before, after);
    this.#changes.push({ before, after });
    return after;
  }

  /** Replaces an item in the table, or in one of its indexes. */
  #replace(index: TableIndex | undefined, before: Item | undefined, after: Item | undefined): void {
    const [from, to] = [before && shelfOf(before, index), after && shelfOf(after, index)];
    if (from === to) {
      if (before && after && to !== undefined) this.#setShelf(to, (shelf) => withReplaced(shelf, before, after, index));
      return;
    }
    if (from !== undefined) this.#setShelf(from, (shelf) => shelf.filter((item) => item !== before));
    if (to !== undefined && after) this.#setShelf(to, (shelf) => withItem(shelf, after, index));
  }

  #setShelf(name: string, change: (shelf: Shelf) => Shelf): void {
    const shelf = this.#shelves.get(name);
    this.#journal.push({ name, shelf });
    this.#shelves.set(name, change(shelf ?? []));
  }
}

const indexNames = Object.keys(tableIndexes) as TableIndex[];
const tablePrefix = 'table/';
const shelfName = (index: TableIndex | undefined, partition: unknown) =>
  index ? `${index}/${partition}` : tablePrefix + partition;

/** The name of the shelf of an item; undefined when the index does not contain the item. */
function shelfOf(item: Item, index: TableIndex | undefined): string | undefined {
  const { partition, sort } = index ? tableIndexes[index] : tableKey;
  return item[partition] === undefined || item[sort] === undefined ? undefined : shelfName(index, item[partition]);
}

const placeOf = (item: Item, index: TableIndex | undefined) =>
  index ? `${item[tableIndexes[index].sort]}\n${item.pk}\n${item.sk}` : item.sk;

function withItem(shelf: Shelf, item: Item, index: TableIndex | undefined): Shelf {
  const place = placeOf(item, index);
  const position = shelf.findIndex((other) => placeOf(other, index) > place);
  return position < 0 ? [...shelf, item] : shelf.toSpliced(position, 0, item);
}

function withReplaced(shelf: Shelf, before: Item, after: Item, index: TableIndex | undefined): Shelf {
  if (placeOf(before, index) === placeOf(after, index)) return shelf.with(shelf.indexOf(before), after);
  return withItem(shelf.toSpliced(shelf.indexOf(before), 1), after, index);
}

function isInRange(
  item: Item,
  index: TableIndex | undefined,
  { sortBeginsWith, sortBetween }: Pick<QueryOptions, 'sortBeginsWith' | 'sortBetween'>,
): boolean {
  const place = String(item[index ? tableIndexes[index].sort : tableKey.sort]);
  if (sortBeginsWith !== undefined) return place.startsWith(sortBeginsWith);
  return sortBetween === undefined || (sortBetween[0] <= place && place <= sortBetween[1]);
}

function keysOf(item: Item, index: TableIndex): Item {
  const { partition, sort } = tableIndexes[index];
  return { pk: item.pk, sk: item.sk, [partition]: item[partition], [sort]: item[sort] };
}

const keyOf = (write: Write | Check): Key => (write.kind === 'put' ? write.item : write.key);

/** DynamoDB refuses a request that names an item twice. */
function refuseTwins(keys: readonly Key[]): void {
  if (keys.length < 2) return;
  const names = new Set(keys.map(({ pk, sk }) => `${pk}\n${sk}`));
  if (names.size < keys.length) throw new Error(`a request names an item twice: ${JSON.stringify(keys)}`);
}

const holds = (item: Item | undefined, when: readonly Condition[] = []): boolean =>
  when.every((condition) => conditionHolds(item?.[condition.attribute], condition, item));

function conditionHolds(found: unknown, condition: Condition, item: Item | undefined): boolean {
  switch (condition.is) {
    case 'absent':
      return found === undefined;
    case 'present':
      return found !== undefined;
    case 'at-most':
      return found === undefined || compares(found, '<=', condition.value);
    case 'without':
      return !(Array.isArray(found) && found.includes(condition.value));
    case 'in':
      return (condition.values as readonly unknown[]).includes(found);
    case 'equal-while':
      return item?.[condition.present] === undefined || found === condition.value;
    default:
      return compares(found, condition.is, condition.value);
  }
}

function compares(found: unknown, operator: string, value: unknown): boolean {
  if (operator === '=') return isDeepStrictEqual(found, value);
  if (operator === '<>') return !isDeepStrictEqual(found, value);
  if (typeof found !== typeof value) return false;
  const [one, other] = [found as string | number, value as string | number];
  if (one === other) return operator === '<=' || operator === '>=';
  return operator.startsWith(one < other ? '<' : '>');
}

/** The item after a write. It shares nothing with the write. */
function afterWrite(write: Write, before: Item | undefined): Item | undefined {
  switch (write.kind) {
    case 'put':
      return copyOf(write.item) as Item;
    case 'delete':
      return undefined;
    case 'update':
      return changed({ ...write.key, ...before }, write.changes);
  }
}

function changed(item: Item, { set = {}, add = {}, take = {}, remove = [] }: Changes): Item {
  const after: Record<string, unknown> & Item = { ...item };
  for (const [name, value] of Object.entries(set)) {
    if (value === undefined) throw new Error(`an update sets ${name} to undefined`);
    after[name] = copyOf(value);
  }
  for (const [name, value] of Object.entries(add)) {
    after[name] =
      typeof value === 'number' ? ((item[name] ?? 0) as number) + value : new Set([...setIn(item, name), ...value]);
  }
  for (const [name, taken] of Object.entries(take)) {
    const left = [...setIn(item, name)].filter((member) => !taken.has(member));
    if (left.length > 0) after[name] = new Set(left);
    else delete after[name];
  }
  for (const name of remove) delete after[name];
  return Object.freeze(after);
}

const setIn = (item: Item, name: string) => (item[name] ?? new Set()) as Set<number>;
