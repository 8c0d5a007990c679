import {
  documentLists,
  isObject,
  isSame,
  type Json,
  type Lists,
  placesOf,
} from '../../../shared/domain/campaign/document/tree.ts';
import type { Pointer } from './pointer.ts';
import { type BuilderState, withKeys } from './state.ts';

/**
 * Puts the changes of a person on a document that another person changed meanwhile. Where both changed the same, the
 * own change counts. What the person did not touch stays as the other person left it: so no part of the other side is
 * changed back, which the server would refuse.
 */

/** The three documents: what both began from, the own one, and the other person's. */
interface Three {
  readonly base: Json;
  readonly mine: Json;
  readonly theirs: Json;
}

/** Carries the key of an element through the merge. No field of a campaign file has this name. */
const keyField = '\u0000key';

/** The state of the builder with the other person's changes in it. Half-typed texts stay at their fields. */
export function mergeChanges(state: BuilderState, { base, theirs }: Omit<Three, 'mine'>): BuilderState {
  const marked = markKeys(state.document, state.keys);
  const merged = mergeInside({ base, mine: marked, theirs }, documentLists);
  const keys: Record<Pointer, string> = {};
  const placeByKey = new Map<unknown, Pointer>();
  for (const { pointer, value } of placesOf(merged)) {
    if (typeof value[keyField] !== 'string') continue;
    keys[pointer] = value[keyField];
    placeByKey.set(value[keyField], pointer);
  }
  const texts = Object.entries(state.texts).flatMap(([pointer, text]) => {
    const place = placesOf(state.document)
      .filter((one) => pointer.startsWith(`${one.pointer}/`))
      .at(-1)?.pointer;
    if (place === undefined) return [[pointer, text] as const];
    const moved = placeByKey.get(state.keys[place]);
    return moved === undefined ? [] : [[moved + pointer.slice(place.length), text] as const];
  });
  return withKeys({ ...state, document: withoutKeys(merged, documentLists), keys, texts: Object.fromEntries(texts) });
}

function markKeys(document: Json, keys: BuilderState['keys']): Json {
  const copy = structuredClone(document);
  for (const { pointer, value } of placesOf(copy)) Object.assign(value, { [keyField]: keys[pointer] });
  return copy;
}

function withoutKeys({ [keyField]: _, ...value }: Json, lists: Lists): Json {
  return withLists(value, lists, (list, inner) => list.map((one) => (isObject(one) ? withoutKeys(one, inner) : one)));
}

function withLists(
  value: Json,
  lists: Lists,
  change: (list: readonly unknown[], inner: Lists, name: string) => unknown,
) {
  const changed = Object.entries(lists).flatMap(([name, inner]) => {
    const list = value[name];
    return Array.isArray(list) ? [[name, change(list, inner, name)]] : [];
  });
  return { ...value, ...Object.fromEntries(changed) };
}

const ignored: ReadonlySet<string> = new Set([keyField]);

function mergeInside({ base, mine, theirs }: Three, lists: Lists): Json {
  const names = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  const merged = [...names].flatMap((name): [string, unknown][] => {
    const inner = lists[name];
    const value = inner
      ? mergeLists({ base: listOf(base[name]), mine: listOf(mine[name]), theirs: listOf(theirs[name]) }, inner)
      : isSame({ value: mine[name] }, { value: base[name] })
        ? theirs[name]
        : mine[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(merged);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

interface ThreeLists {
  readonly base: readonly unknown[];
  readonly mine: readonly unknown[];
  readonly theirs: readonly unknown[];
}

/** The list in the other person's order, unless the own one was arranged anew. What only the own one has is at the end. */
function mergeLists({ base, mine, theirs }: ThreeLists, inner: Lists): unknown[] {
  const [inBase, inTheirs] = [byId(base), byId(theirs)];
  const own = mine.flatMap((element): unknown[] => {
    if (!isObject(element) || element.id === undefined) return [element];
    const [before, other] = [inBase.get(element.id), inTheirs.get(element.id)];
    if (other) return [mergeInside({ base: before ?? {}, mine: element, theirs: other }, inner)];
    // The other person removed it. A part that was changed here is a new part now: its id is gone.
    return before && isSame(element, before, ignored) ? [] : [asNew(element, inner)];
  });
  const inMine = byId(mine);
  // What the own work has not, because it is new there. What was removed here and changed there stays as well.
  const more = [...inTheirs].filter(
    ([id, element]) => !inMine.has(id) && !isSame({ element }, { element: inBase.get(id) }),
  );
  const all = [...own, ...more.map(([, element]) => element)];
  const isArranged = !isSame(idsOf(mine, inBase), idsOf(base, inMine));
  if (isArranged) return all;
  const places = new Map([...inTheirs.keys()].map((id, place) => [id, place]));
  const placeOf = (element: unknown) => (isObject(element) ? places.get(element.id) : undefined) ?? theirs.length;
  return all.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** The ids of a list, as far as another list has them too. */
const idsOf = (list: readonly unknown[], other: ReadonlyMap<unknown, Json>) =>
  [...byId(list).keys()].filter((id) => other.has(id));

function byId(list: readonly unknown[]): Map<unknown, Json> {
  return new Map(list.filter(isObject).flatMap((element) => (element.id === undefined ? [] : [[element.id, element]])));
}

function asNew({ id: _, ownerId: __, ...element }: Json, lists: Lists): Json {
  return withLists(element, lists, (list, inner) => list.map((one) => (isObject(one) ? asNew(one, inner) : one)));
}
