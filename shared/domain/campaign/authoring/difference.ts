import { isObject, isSame } from '../document/tree.ts';
import { pointerOf } from './schema-faults.ts';

/** A value that differs between two documents; `undefined` for a document that has no value at the pointer. */
export interface Difference {
  readonly pointer: string;
  readonly old: unknown;
  readonly new: unknown;
}

/**
 * Finds the values that differ between two documents. Elements of lists are compared by their ids, not by their
 * positions. So a new first element does not make the elements after it differ. A pointer refers to the new document;
 * the pointer of a removed element refers to the old document.
 */
export function findDifferences(old: unknown, next: unknown, path: readonly PropertyKey[] = []): Difference[] {
  if (isSame({ value: old }, { value: next })) return [];
  if (isObject(old) && isObject(next)) {
    const names = new Set([...Object.keys(old), ...Object.keys(next)]);
    return [...names].flatMap((name) => findDifferences(old[name], next[name], [...path, name]));
  }
  if (isListOfIds(old) && isListOfIds(next)) return compareLists(old, next, path);
  return [{ pointer: pointerOf(path), old, new: next }];
}

interface Identified {
  readonly id: unknown;
}

function isListOfIds(value: unknown): value is Identified[] {
  return Array.isArray(value) && value.every((element) => isObject(element) && 'id' in element);
}

function compareLists(old: readonly Identified[], next: readonly Identified[], path: readonly PropertyKey[]) {
  const before = new Map(old.map((element) => [element.id, element]));
  const after = new Set(next.map(({ id }) => id));
  return [
    ...next.flatMap((element, index) => findDifferences(before.get(element.id), element, [...path, index])),
    ...[...old.entries()]
      .filter(([, { id }]) => !after.has(id))
      .flatMap(([index, element]) => findDifferences(element, undefined, [...path, index])),
  ];
}
