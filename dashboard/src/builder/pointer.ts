import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';

/** Reads and changes a campaign document by JSON Pointers (RFC 6901). Documents are never changed in place. */

export type Pointer = string;

/** The names and positions in a pointer. */
export const pathOf = (pointer: Pointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The pointer of a field or an element inside a value. */
export const inside = (pointer: Pointer, name: string | number): Pointer =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The pointer of the value around a value, and its last part. */
export function splitPointer(pointer: Pointer): { readonly around: Pointer; readonly last: string } {
  const end = pointer.lastIndexOf('/');
  return { around: pointer.slice(0, end), last: pathOf(pointer).at(-1) ?? '' };
}

/** Whether a pointer is another one, or leads into it. */
export const isWithin = (pointer: Pointer, outer: Pointer): boolean =>
  pointer === outer || pointer.startsWith(`${outer}/`);

/** The value at a pointer; undefined when there is none. */
export function valueAt(document: unknown, pointer: Pointer): unknown {
  return pathOf(pointer).reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    document,
  );
}

/** A copy of a document with another value at a pointer. The value undefined removes the field. */
export function withValue(document: Json, pointer: Pointer, value: unknown): Json {
  const replaced = replace(document, pathOf(pointer), value);
  return isObject(replaced) ? replaced : document;
}

function replace(within: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(within)) {
    const position = Number(name);
    return within.map((element: unknown, index) => (index === position ? replace(element, rest, value) : element));
  }
  const fields = isObject(within) ? within : {};
  const next = replace(fields[name], rest, value);
  if (next !== undefined) return { ...fields, [name]: next };
  const { [name]: _, ...others } = fields;
  return others;
}

/** The list at a pointer; empty when there is none. */
export function listAt(document: unknown, pointer: Pointer): readonly unknown[] {
  const list = valueAt(document, pointer);
  return Array.isArray(list) ? list : [];
}

/**
 * Moves what is stored by pointer when the elements of a list move.
 *
 * @param placeOf the new position of an element; undefined for a removed one
 */
export function movePointers<Value>(
  stored: Readonly<Record<Pointer, Value>>,
  list: Pointer,
  placeOf: (position: number) => number | undefined,
): Record<Pointer, Value> {
  const moved = Object.entries(stored).flatMap(([pointer, value]): [Pointer, Value][] => {
    if (!pointer.startsWith(`${list}/`)) return [[pointer, value]];
    const [position = '', ...rest] = pointer.slice(list.length + 1).split('/');
    const place = placeOf(Number(position));
    return place === undefined ? [] : [[[list, place, ...rest].join('/'), value]];
  });
  return Object.fromEntries(moved);
}
