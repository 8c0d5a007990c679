import { AsyncLocalStorage } from 'node:async_hooks';
import type * as z from 'zod/mini';
import { outboxAttribute, tableIndexes, tableKey, ttlAttribute, versionAttribute } from '../../contracts/table.ts';

/** Items of the table as data: their keys and schemas, the writes to them, and how writes fail. */

/** The key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item of the table. */
export type Item = Record<string, unknown> & Key;

/** A kind of item: its key and its schema. */
export interface Entity<Schema extends z.ZodMiniType, KeyArguments extends readonly unknown[]> {
  readonly key: (...parts: KeyArguments) => Key;
  /**
   * Converts a value to an item with the version of its kind. `attributes` are used by the table only: index keys and
   * the time to live. The item that replaces a parsed item keeps the attributes that this release does not know.
   */
  readonly item: (key: Key, value: z.infer<Schema>, attributes?: Readonly<Record<string, unknown>>) => Item;
  /** Like `item`, but keeps the unknown attributes of a parsed item also when its new item has another key. */
  readonly moved: (key: Key, value: z.infer<Schema>) => Item;
  /**
   * Parses an item as strictly as a request. So an invalid item fails here.
   *
   * @throws ZodError when the item is not of this kind
   * @throws UnknownVersionError when a newer release wrote the item in a form that this release may misread
   */
  readonly parse: (item: Item) => z.infer<Schema>;
}

/**
 * The versions of a kind of item. A form needs a new version if a reader of the earlier version would misread it; a new
 * optional attribute needs none. One release learns to read a version, a later release writes it
 * (docs/architecture/schema-changes.md).
 */
interface Versions {
  readonly written: number;
  readonly newestRead: number;
}

const firstVersion = 1;

/** A newer release wrote the item. Nothing is wrong with the item: this release must not be used with the table. */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError';

  constructor({ pk, sk }: Key, version: unknown, newestRead: number) {
    // Partition keys may contain digests and ids of members; the kind is enough.
    const kind = `${pk.split('#', 1)} ${sk.split('#', 1)}`;
    super(`an item of kind ${kind} has version ${version}; this release reads versions up to ${newestRead}`);
  }
}

/** Declares a kind of item by its schema and its key. */
export function defineEntity<Schema extends z.ZodMiniType<object>, KeyArguments extends readonly unknown[]>(
  schema: Schema,
  key: (...parts: KeyArguments) => Key,
  { written, newestRead }: Versions = { written: firstVersion, newestRead: firstVersion },
): Entity<Schema, KeyArguments> {
  const item = (itemKey: Key, value: object, attributes: object, kept: object): Item => ({
    ...kept,
    // `Object.entries` leaves out the unknown attributes, which are under a symbol.
    ...Object.fromEntries(Object.entries(value)),
    ...attributes,
    [versionAttribute]: written,
    ...itemKey,
  });
  return {
    key,
    item: (itemKey, value, attributes = {}) => item(itemKey, value, attributes, unknownOf(value, itemKey)),
    moved: (itemKey, value) => item(itemKey, value, {}, unknownOf(value)),
    parse: (stored) => {
      const version = stored[versionAttribute] ?? firstVersion;
      if (typeof version !== 'number' || version > newestRead) {
        throw new UnknownVersionError(stored, version, newestRead);
      }
      return withUnknown(schema.parse(stored), stored);
    },
  };
}

/** The attributes that only the table uses. Each put sets them anew. */
const ownAttributes: ReadonlySet<string> = new Set([
  ...[tableKey, ...Object.values(tableIndexes)].flatMap(({ partition, sort }) => [partition, sort]),
  ...[ttlAttribute, outboxAttribute, versionAttribute],
]);

/**
 * The symbol under which a parsed value keeps the attributes of its item that the schema does not know. A newer release
 * wrote them, and a changed value is put back whole, so they must not be lost. A copy by `{ ...value }` keeps them;
 * JSON, schemas and DynamoDB's library ignore symbols.
 */
const unknownAttributes = Symbol('unknown attributes');

function withUnknown<Value extends object>(value: Value, item: Item): Value {
  const names = Object.keys(item).filter((name) => !(name in value) && !ownAttributes.has(name));
  if (names.length === 0) return value;
  const attributes = Object.fromEntries(names.map((name) => [name, item[name]]));
  return Object.assign(value, { [unknownAttributes]: { pk: item.pk, sk: item.sk, attributes } });
}

/**
 * The unknown attributes of a value; none if the value was read from an item with another key than `key`. So a copy in
 * a new item, such as a reversal, begins without them.
 */
function unknownOf(value: object, key?: Key): object {
  const kept: (Key & { attributes: object }) | undefined = Reflect.get(value, unknownAttributes);
  if (!kept || (key && (kept.pk !== key.pk || kept.sk !== key.sk))) return {};
  return kept.attributes;
}

/** A condition on one attribute. All conditions of a write have to hold. */
export type Condition =
  | { readonly attribute: string; readonly is: 'absent' | 'present' }
  | {
      readonly attribute: string;
      readonly is: '=' | '<>' | '<' | '<=' | '>' | '>=';
      readonly value: string | number | boolean | null;
    }
  /** With the value null: the attribute exists, and is null. */
  | { readonly attribute: string; readonly is: '='; readonly value: string | null }
  /** The list has the same texts in the same order. */
  | { readonly attribute: string; readonly is: '='; readonly value: readonly string[] }
  /** The list does not contain the value. */
  | { readonly attribute: string; readonly is: 'without'; readonly value: number }
  /** The number or text is not above the value, or is absent. */
  | { readonly attribute: string; readonly is: 'at-most'; readonly value: number | string }
  | { readonly attribute: string; readonly is: 'in'; readonly values: readonly (string | number)[] }
  /** The attribute has the value, or the attribute that `present` names is absent. */
  | { readonly attribute: string; readonly is: 'equal-while'; readonly value: number; readonly present: string };

/** The condition that no item has the key yet. */
export const isNew: readonly Condition[] = [{ attribute: 'pk', is: 'absent' }];

/** The condition that an item has the key. */
export const exists: readonly Condition[] = [{ attribute: 'pk', is: 'present' }];

/** The condition that a counter is as it was read. */
export const isStill = (attribute: string, value: number | undefined): Condition =>
  value === undefined ? { attribute, is: 'absent' } : { attribute, is: '=', value };

/**
 * The changes of an update. `add` adds to a number, and `take` takes numbers out of a set. An absent number counts as
 * zero; an absent set is empty, and an empty set is absent.
 */
export interface Changes {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number | ReadonlySet<number>>>;
  readonly take?: Readonly<Record<string, ReadonlySet<number>>>;
  readonly remove?: readonly string[];
}

/**
 * The effect of a second execution of a single write. The client library repeats a write whose answer was lost.
 * - `harmless`: the second execution does no harm, also when its condition fails.
 * - `recognisable`: the condition fails, and the item has every value that the write sets. No other write sets these
 *   values.
 *
 * Updates with a condition or with `add`, and deletes with a condition, should name a `Repetition`. Otherwise they are
 * done as a DynamoDB transaction, which costs twice as much: DynamoDB recognises the token of a repeated transaction. A
 * put is always recognisable, because its item contains a unique id or secret.
 */
type Repetition = 'harmless' | 'recognisable';

/** A write to one item. It is done only if its conditions hold. */
export type Write =
  | { readonly kind: 'put'; readonly item: Item; readonly when?: readonly Condition[] }
  | {
      readonly kind: 'update';
      readonly key: Key;
      readonly changes: Changes;
      readonly when?: readonly Condition[];
      readonly repetition?: Repetition;
      /**
       * `transact` throws this error instead of a {@link ConditionFailedError} if the conditions of the write do not
       * hold.
       */
      readonly refusal?: Error;
    }
  | {
      readonly kind: 'delete';
      readonly key: Key;
      readonly when?: readonly Condition[];
      readonly repetition?: 'harmless';
    };

/** An unconditional write that may be done together with other writes, or without them. */
export type BatchWrite = { readonly kind: 'put'; readonly item: Item } | { readonly kind: 'delete'; readonly key: Key };

/** A part of a DynamoDB transaction that changes nothing and only requires its conditions. */
export interface Check {
  readonly kind: 'check';
  readonly key: Key;
  readonly when: readonly Condition[];
  /** Like `refusal` of an update. */
  readonly refusal?: Error;
}

/** The time and the identifiers that writes need. */
export interface WriteContext {
  readonly now: Date;
  readonly nextUuid: () => string;
  /** The row of the audit trail. It is written in the same DynamoDB transaction as the operator's change. */
  readonly auditWrites?: readonly Write[] | undefined;
}

/** The requests that some work follows from. A batch may follow from several. */
export interface Origins {
  /** For the id of an entity: the id of the request that the entity's event follows from. */
  readonly byEntity: ReadonlyMap<string, string>;
  /** The id for all other entities. */
  readonly otherwise?: string | undefined;
}

const origins = new AsyncLocalStorage<Origins>();

/** Runs work that follows from requests. The events that it writes have the ids of these requests (decision 0170). */
export const followingFrom = <Result>(of: Origins, work: () => Result): Result => origins.run(of, work);

/** Runs the part of a batch's work that is about one entity. */
export const concerning = <Result>(entityId: string, work: () => Result): Result =>
  origins.run({ byEntity: origins.getStore()?.byEntity ?? new Map(), otherwise: requestIdOf(entityId) }, work);

/** The id of the request that the present work on an entity follows from; undefined when there is none. */
export function requestIdOf(entityId = ''): string | undefined {
  const { byEntity, otherwise } = origins.getStore() ?? {};
  return byEntity?.get(entityId) ?? otherwise;
}

const writeWatch = new AsyncLocalStorage<() => void>();

/** Runs work, and calls `onWrite` before each write of the work is sent to the table. */
export const watchingWrites = <Result>(onWrite: () => void, work: () => Result): Result =>
  writeWatch.run(onWrite, work);

/** Reports that a write of the present work is about to be sent. */
export const reportWrite = (): void => writeWatch.getStore()?.();

/** The context of the writes that a request causes. */
export interface RequestContext extends WriteContext {
  /** The writes that store the reply to the request, in the same DynamoDB transaction as the request's other writes. */
  readonly replyWrites?: readonly Write[] | undefined;
}

/** A condition of a write did not hold. Nothing was written. */
export class ConditionFailedError extends Error {
  override readonly name = 'ConditionFailedError';
  /**
   * The stored items of the writes whose conditions failed, by the position of the write; `null` when there was no
   * item.
   */
  readonly found: ReadonlyMap<number, Item | null>;

  constructor(found: ReadonlyMap<number, Item | null>) {
    super(`the condition of write ${[...found.keys()].join(', ')} did not hold`);
    this.found = found;
  }
}

/**
 * Every attempt conflicted with other DynamoDB transactions on the same items. Nothing was written; a retry may
 * succeed.
 */
export class ContentionError extends Error {
  override readonly name: string = 'ContentionError';
}

/** DynamoDB refused every attempt because of too many requests. The call wrote nothing. A retry may succeed. */
export class ThrottledError extends ContentionError {
  override readonly name = 'ThrottledError';

  constructor(options: ErrorOptions) {
    super('DynamoDB throttles the table', options);
  }
}

/**
 * The table did not answer any attempt: a time-out, a broken connection, or a fault of DynamoDB. A write may have been
 * done.
 */
export class TableUnavailableError extends Error {
  override readonly name = 'TableUnavailableError';

  constructor(options: ErrorOptions) {
    super('the table does not answer', options);
  }
}
