/**
 * The parts of a campaign: actions, conditions, multipliers, limits and goals, each of which belongs to one
 * organisation. They lie in lists, some of them inside flows and groups, which belong to nobody.
 */

/** Where lists are. What has lists inside is a container; what has none is a part with an owner. */
export interface Lists {
  readonly [name: string]: Lists;
}

const part: Lists = {};
export const documentLists: Lists = {
  flows: { actions: part, multipliers: part, limits: part, conditionGroups: { conditions: part } },
  goals: part,
};

export type Json = Readonly<Record<string, unknown>>;

/** A part, or a container of parts, and where it is. */
export interface Place {
  readonly pointer: string;
  /** The list that it is in, wherever that stands: the names of the lists and the ids of the containers. */
  readonly list: string;
  /** The lists inside it; none inside a part. */
  readonly inner: Lists;
  readonly value: Json;
}

/** Every container and part of a document, containers before what is in them. */
export function placesOf(document: object): Place[] {
  return inside(document as Json, documentLists, { pointer: '', list: '' });
}

function inside(value: Json, lists: Lists, at: Pick<Place, 'pointer' | 'list'>): Place[] {
  return Object.entries(lists).flatMap(([name, inner]) =>
    listIn(value, name).flatMap((element, index) => {
      const place = { pointer: `${at.pointer}/${name}/${index}`, list: `${at.list}/${name}`, inner, value: element };
      return [place, ...inside(element, inner, { pointer: place.pointer, list: `${place.list}/${element.id}` })];
    }),
  );
}

/** The objects of a list; what is no list of objects is for the schema to refuse. */
export function listIn(value: Json | undefined, name: string): Json[] {
  const list = value?.[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const holdsParts = (lists: Lists) => Object.keys(lists).length > 0;

/** Whether two JSON values say the same, whatever the order of their fields; a field that is undefined is not there. */
export function isSame(one: unknown, other: unknown, except?: ReadonlySet<string>): boolean {
  return includesAll(one, other, except) && includesAll(other, one, except);
}

/** Whether a JSON value says all that another one does; some fields may be left out of it. */
export function includesAll(value: unknown, other: unknown, except: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(value) && Array.isArray(other)) {
    return value.length === other.length && other.every((element, index) => includesAll(value[index], element, except));
  }
  if (!isObject(value) || !isObject(other)) return value === other;
  return Object.keys(other).every(
    (name) => except.has(name) || other[name] === undefined || includesAll(value[name], other[name], except),
  );
}

/** The organisations that own an action of a campaign, each once: those whose approval it takes. */
export function ownersOfActions(document: object): number[] {
  const actions = placesOf(document).filter(({ list }) => list.endsWith('/actions'));
  return [...new Set(actions.map(({ value }) => Number(value.ownerId)))];
}

/** A document with everything in it belonging to one organisation. */
export function ownedBy<Document extends object>(document: Document, ownerId: number): Document {
  return owned(document as Json, documentLists, ownerId) as Document;
}

function owned(value: Json, lists: Lists, ownerId: number): Json {
  const rewritten = Object.entries(lists)
    .filter(([name]) => name in value)
    .map(([name, inner]) => [name, listIn(value, name).map((element) => owned(element, inner, ownerId))]);
  return { ...value, ...('ownerId' in value && !holdsParts(lists) && { ownerId }), ...Object.fromEntries(rewritten) };
}

/** The first id that no container and no part of a document has. */
export function firstFreeId(document: object): number {
  return 1 + placesOf(document).reduce((highest, { value }) => Math.max(highest, Number(value.id)), 0);
}
