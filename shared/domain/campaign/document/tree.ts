/**
 * A campaign document as a tree. Its lists contain parts, each with an owner, or containers (flows and groups),
 * which have no owner. These functions take any document, even one that no schema has parsed.
 */

/** The lists inside a value, by name. A container has lists inside; a part has none. */
export interface Lists {
  readonly [name: string]: Lists;
}

const part: Lists = {};
export const documentLists: Lists = {
  flows: { actions: part, multipliers: part, limits: part, conditionGroups: { conditions: part } },
  goals: part,
};

export type Json = Readonly<Record<string, unknown>>;

/** A part or a container, and where it is. */
export interface Place {
  /** JSON Pointer in the document. */
  readonly pointer: string;
  /** The path of the list that contains the element: the names of the lists and the ids of the containers around it. */
  readonly list: string;
  /** The lists inside it; empty for a part. */
  readonly inner: Lists;
  readonly value: Json;
}

/** Returns every container and part of a document, each container before its content. */
export function placesOf(document: object): Place[] {
  return placesInside({ ...document }, documentLists, { pointer: '', list: '' });
}

function placesInside(value: Json, lists: Lists, at: Pick<Place, 'pointer' | 'list'>): Place[] {
  return Object.entries(lists).flatMap(([name, inner]) => {
    const list = value[name];
    return (Array.isArray(list) ? list : []).flatMap((element: unknown, index) => {
      // Leaves out elements that are not objects, because the schema reports them. The other elements keep their
      // positions.
      if (!isObject(element)) return [];
      const place = { pointer: `${at.pointer}/${name}/${index}`, list: `${at.list}/${name}`, inner, value: element };
      const inside = { pointer: place.pointer, list: `${place.list}/${element.id}` };
      return [place, ...placesInside(element, inner, inside)];
    });
  });
}

/** The objects of a list. The schema reports all other elements as faults. */
export function listIn(value: Json | undefined, name: string): Json[] {
  const list = value?.[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an element with these lists is a container. */
export const holdsParts = (lists: Lists): boolean => Object.keys(lists).length > 0;

/** The parts at a place: the part itself, or all parts inside a container. */
export function partsIn({ value, inner }: Pick<Place, 'value' | 'inner'>): Json[] {
  if (!holdsParts(inner)) return [value];
  return Object.entries(inner).flatMap(([name, lists]) =>
    listIn(value, name).flatMap((element) => partsIn({ value: element, inner: lists })),
  );
}

/** Whether two JSON values are equal. The order of fields makes no difference. An undefined field counts as absent. */
export function isSame(one: unknown, other: unknown, except?: ReadonlySet<string>): boolean {
  return includesAll(one, other, except) && includesAll(other, one, except);
}

/** Whether `value` contains every field of `other` with the same value. The fields in `except` are ignored. */
export function includesAll(value: unknown, other: unknown, except: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(value) && Array.isArray(other)) {
    return value.length === other.length && other.every((element, index) => includesAll(value[index], element, except));
  }
  if (!isObject(value) || !isObject(other)) return value === other;
  return Object.keys(other).every(
    (name) => except.has(name) || other[name] === undefined || includesAll(value[name], other[name], except),
  );
}

/** The organisations that own a part of a campaign, without duplicates. Their approval is required. */
export function ownersOfParts(document: object): number[] {
  const parts = placesOf(document).filter(({ inner }) => !holdsParts(inner));
  return [...new Set(parts.map(({ value }) => Number(value.ownerId)))];
}

/** A copy of a document in which one organisation owns every part. */
export function ownedBy<Document extends object>(document: Document, ownerId: number): Document {
  const copy = structuredClone(document);
  for (const { value, inner } of placesOf(copy)) if (!holdsParts(inner)) Object.assign(value, { ownerId });
  return copy;
}

/** One more than the highest id of any container or part of a document. */
export function firstFreeId(document: object): number {
  return 1 + placesOf(document).reduce((highest, { value }) => Math.max(highest, Number(value.id)), 0);
}
