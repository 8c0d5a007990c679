import type * as z from 'zod/mini';
import type { Item, Key } from './writes.ts';

/**
 * A kind of item: its schema and its key. What comes out of the table is parsed as strictly as what
 * comes in over HTTP, so that an item that somebody changed by hand is an error here and not later.
 */
export interface Entity<Schema extends z.ZodMiniType, KeyArguments extends readonly unknown[]> {
  readonly key: (...parts: KeyArguments) => Key;
  /** An item of the thing, with the attributes that only the table uses. */
  readonly item: (key: Key, value: z.infer<Schema>, attributes?: Readonly<Record<string, unknown>>) => Item;
  /** @throws ZodError when the item is not of this kind */
  readonly parse: (item: Item) => z.infer<Schema>;
}

/** Declares a kind of item. */
export function defineEntity<Schema extends z.ZodMiniType, KeyArguments extends readonly unknown[]>(
  schema: Schema,
  key: (...parts: KeyArguments) => Key,
): Entity<Schema, KeyArguments> {
  return {
    key,
    item: (itemKey, value, attributes = {}) => ({ ...(value as object), ...attributes, ...itemKey }),
    parse: (item) => schema.parse(item),
  };
}
