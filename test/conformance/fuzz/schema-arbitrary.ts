import type * as z from 'zod/mini';
import { fc } from '../../support/fast-check.ts';

/** The parts of a schema's definition that determine its values. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
}

/** Creates values for a field by name, where the schema alone is not enough. */
export type Known = (field: string) => fc.Arbitrary<unknown> | undefined;

/**
 * Values with the schema's types and fields, valid in most cases. A value passes the schema's other checks only if
 * `known` made it, or by chance.
 */
export function arbitraryOf(schema: z.core.$ZodType, known: Known, field = ''): fc.Arbitrary<unknown> {
  const named = known(field);
  const definition = schema._zod.def as unknown as Definition;
  const made = ofKind(definition, known, field);
  return named && definition.type !== 'optional' ? fc.oneof({ weight: 12, arbitrary: named }, made) : made;
}

function ofKind(definition: Definition, known: Known, field: string): fc.Arbitrary<unknown> {
  const { shape, innerType, element, options = [], entries = {}, values = [] } = definition;
  const of = (inner: z.core.$ZodType | undefined) => (inner ? arbitraryOf(inner, known, field) : fc.constant(null));
  switch (definition.type) {
    case 'object':
      return recordOf(shape ?? {}, known);
    case 'optional':
    case 'default':
    case 'nullable':
      return of(innerType);
    case 'pipe':
      return of(definition.in);
    case 'array':
      return fc.array(of(element), { maxLength: 3 });
    case 'union':
      return fc.oneof(...options.map(of));
    case 'enum':
      return fc.constantFrom<unknown>(...Object.values(entries));
    case 'literal':
      return fc.constantFrom(...values);
    case 'record':
      return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    case 'number':
      return fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0.01, max: 1e7, noNaN: true }));
    default:
      return fc.string({ minLength: 1, maxLength: 40 });
  }
}

function recordOf(shape: NonNullable<Definition['shape']>, known: Known): fc.Arbitrary<unknown> {
  const fields = Object.entries(shape);
  const model = Object.fromEntries(fields.map(([name, inner]) => [name, arbitraryOf(inner, known, name)]));
  const needed = fields.filter(([, inner]) => (inner._zod.def as { type: string }).type !== 'optional');
  return fc.record(model, { requiredKeys: needed.map(([name]) => name) });
}
