/** Converts a view's names to the names of the wire. */

type SnakeName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeName<Rest>}`
  : Name;

/** Fields whose value is a file of an organisation. It keeps its names. */
type Kept = 'document' | 'contextSchema';
const kept: ReadonlySet<string> = new Set(['document', 'contextSchema'] satisfies Kept[]);

/** A value whose fields have names in snake_case. */
export type SnakeCased<Value> = Value extends readonly (infer Element)[]
  ? SnakeCased<Element>[]
  : Value extends object
    ? { [Name in keyof Value & string as SnakeName<Name>]: Name extends Kept ? Value[Name] : SnakeCased<Value[Name]> }
    : Value;

/** The same value with names in snake_case, except for names inside of files of organisations. */
export function snakeCased<Value>(value: Value): SnakeCased<Value> {
  return convert(value) as SnakeCased<Value>;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeName(name), kept.has(name) ? inner : convert(inner)]),
  );
}

const snakeName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
