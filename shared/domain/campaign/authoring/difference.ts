import { isObject, isSame } from '../document/tree.ts';
import { pointerOf } from './schema-faults.ts';

/** One thing that is otherwise: what was there, what is there now; undefined where there is nothing. */
export interface Difference {
  readonly pointer: string;
  readonly old: unknown;
  readonly new: unknown;
}

/**
 * What is otherwise in a document than in another, down to the single values. Elements of lists are told
 * apart by their ids, so that one that is put in front does not change all behind it. Pointers are those of
 * the new document; of what is gone, those of the old one.
 */
export function differencesBetween(old: unknown, next: unknown, path: readonly PropertyKey[] = []): Difference[] {
  if (isSame({ value: old }, { value: next })) return [];
  if (isObject(old) && isObject(next)) {
    const names = new Set([...Object.keys(old), ...Object.keys(next)]);
    return [...names].flatMap((name) => differencesBetween(old[name], next[name], [...path, name]));
  }
  if (isListOfIds(old) && isListOfIds(next)) return differencesOfLists(old, next, path);
  return [{ pointer: pointerOf(path), old, new: next }];
}

interface Identified {
  readonly id: unknown;
}

function isListOfIds(value: unknown): value is Identified[] {
  return Array.isArray(value) && value.every((element) => isObject(element) && 'id' in element);
}

function differencesOfLists(old: readonly Identified[], next: readonly Identified[], path: readonly PropertyKey[]) {
  const before = new Map(old.map((element) => [element.id, element]));
  const after = new Set(next.map(({ id }) => id));
  return [
    ...next.flatMap((element, index) => differencesBetween(before.get(element.id), element, [...path, index])),
    ...[...old.entries()]
      .filter(([, { id }]) => !after.has(id))
      .flatMap(([index, element]) => differencesBetween(element, undefined, [...path, index])),
  ];
}
