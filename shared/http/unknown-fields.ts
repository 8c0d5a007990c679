import type * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { maximumCharacters } from '../contracts/limits.ts';
import { once } from '../domain/memoize.ts';
import { isMisspelling } from '../domain/spelling.ts';
import { fieldNames } from './field-names.ts';
import { type Fault, pointerOf } from './reply.ts';

/** The fields that a schema has at one place of a body, each with the fields below it. Undefined: any field may be there. */
type KnownFields = ReadonlyMap<string, KnownFields | undefined> | undefined;

/** The fields of a body that its schema does not have. */
export interface UnknownFields {
  /** Fields that look like misspellings of known ones. They would change the result of the request silently. */
  readonly misspelt: readonly Fault[];
  /** The JSON Pointers of all others. In a list, only the first entry with the field is named. */
  readonly ignored: readonly string[];
}

/**
 * Prepares the search for unknown fields in the bodies of one endpoint. Objects whose fields the caller chooses (records
 * and loose objects) have none. The token endpoint ignores misspelt fields as well, because OAuth requires it (RFC 6749,
 * section 3.2).
 */
export function prepareUnknownFields({ body: schema, errorShape }: AnyContract): (body: unknown) => UnknownFields {
  const known = once(() => schema && knownFieldsOf(schema));
  return (body) => {
    const found = findUnknown(body, known());
    const faults = found.map(({ path, siblings }) =>
      errorShape === 'oauth' ? undefined : misspellingAt(path, siblings),
    );
    return {
      misspelt: faults.filter((fault) => fault !== undefined),
      ignored: found.flatMap(({ path }, index) => (faults[index] ? [] : [pointerOf(path)])),
    };
  };
}

/** The header that names the ignored fields of a request. */
export const ignoredFieldsHeader = 'x-ignored-fields';

/**
 * Writes pointers as the value of {@link ignoredFieldsHeader}: sorted, percent-encoded as in URLs (RFC 6901, section
 * 6), and separated by commas. If they do not all fit, the value ends with `...`.
 */
export function ignoredFieldsText(pointers: readonly string[]): string {
  const encoded = pointers.map((pointer) => pointer.toWellFormed().split('/').map(encodeURIComponent).join('/')).sort();
  let end = 0;
  const fitting = encoded.filter((pointer) => {
    end += pointer.length + 2;
    return end <= maximumCharacters.ignoredFields;
  });
  return [...fitting, ...(fitting.length < encoded.length ? ['...'] : [])].join(', ');
}

interface FoundField {
  readonly path: readonly PropertyKey[];
  /** The fields that are known at this place. */
  readonly siblings: NonNullable<KnownFields>;
}

/** Finds the unknown fields of a body. A schema limits the depth: fields below unknown ones are not looked at. */
function findUnknown(
  body: unknown,
  known: KnownFields,
  { path = [], seen = new Set<string>() }: { path?: readonly PropertyKey[]; seen?: Set<string> } = {},
): FoundField[] {
  if (!known) return [];
  return entriesOf(body).flatMap(([index, name, value]) => {
    const place = [...path, ...index, name];
    if (known.has(name)) return findUnknown(value, known.get(name), { path: place, seen });
    const spot = pointerOf([...path.filter((part) => typeof part === 'string'), name]);
    if (seen.has(spot)) return [];
    seen.add(spot);
    return [{ path: place, siblings: known }];
  });
}

/** The fields of an object, or of all objects in a list. `index` is the position in the list. */
function entriesOf(value: unknown): (readonly [index: readonly number[], name: string, value: unknown])[] {
  if (!Array.isArray(value)) return fieldsOf(value).map(([name, inner]) => [[], name, inner]);
  return value.flatMap((each, index) => fieldsOf(each).map(([name, inner]) => [[index], name, inner] as const));
}

const fieldsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

function misspellingAt(path: readonly PropertyKey[], siblings: NonNullable<KnownFields>): Fault | undefined {
  const name = String(path.at(-1));
  if (fieldNames.has(name)) return undefined;
  const meant = [...siblings.keys()].find((known) => isMisspelling(name, known));
  if (meant === undefined) return undefined;
  const message = `is no field of this endpoint: did you mean ${meant}?`;
  return { pointer: pointerOf(path), code: 'misspelt_field', message };
}

/** The fields of a schema. An entry of a list has the same place as the list. */
export function knownFieldsOf(schema: z.core.$ZodType): KnownFields {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      if (def.catchall) return undefined;
      return new Map(Object.entries(def.shape).map(([name, field]) => [name, knownFieldsOf(field)]));
    case 'optional':
    case 'nullable':
    case 'default':
      return knownFieldsOf(def.innerType);
    case 'pipe':
      return knownFieldsOf(def.in);
    case 'array':
      return knownFieldsOf(def.element);
    case 'union':
      return def.options.map(knownFieldsOf).reduce(join);
    default:
      return undefined;
  }
}

/** The fields of either of two schemas. */
function join(one: KnownFields, other: KnownFields): KnownFields {
  if (!one || !other) return undefined;
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return new Map(
    names.map((name) => [
      name,
      one.has(name) && other.has(name) ? join(one.get(name), other.get(name)) : (one.get(name) ?? other.get(name)),
    ]),
  );
}
