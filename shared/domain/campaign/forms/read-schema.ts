import type * as z from 'zod/mini';

/** Reads the types and bounds of a field from its schema, so that a form repeats none of them. */

/** The values that a schema allows. */
export interface FieldSchema {
  readonly type: 'boolean' | 'choice' | 'integer' | 'list' | 'number' | 'text';
  /** Whether a document may leave the field out. */
  readonly isOptional: boolean;
  /** The value that counts for a field that is left out. */
  readonly initial?: unknown;
  /** The only values that are allowed. */
  readonly values?: readonly (string | number)[];
  /** The bounds of a number, or of the length of a text or list. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** The elements of a list. */
  readonly element?: FieldSchema;
}

/** The definitions of the schemas that campaigns use. */
interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: z.ZodMiniType;
  readonly in?: z.ZodMiniType;
  readonly element?: z.ZodMiniType;
  readonly defaultValue?: unknown;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly (string | number)[];
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[];
}

interface CheckDefinition {
  readonly check: string;
  readonly value?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** @throws RangeError for a schema that no form can show */
export function readSchema(schema: z.ZodMiniType): FieldSchema {
  const definition = schema._zod.def as unknown as Definition;
  const { type, innerType, element } = definition;
  switch (type) {
    case 'optional':
    case 'nullable':
      return { ...readSchema(innerOf(innerType)), isOptional: true };
    case 'default':
      return { ...readSchema(innerOf(innerType)), isOptional: true, initial: definition.defaultValue };
    case 'pipe':
      return readSchema(innerOf(definition.in));
    case 'enum':
      return { type: 'choice', isOptional: false, values: Object.values(definition.entries ?? {}) };
    case 'literal':
      return { type: 'choice', isOptional: false, values: definition.values ?? [] };
    case 'array':
      return { type: 'list', isOptional: false, ...boundsOf(definition), element: readSchema(innerOf(element)) };
    case 'number':
      return { type: definition.format ? 'integer' : 'number', isOptional: false, ...boundsOf(definition) };
    case 'string':
      return { type: 'text', isOptional: false, ...boundsOf(definition) };
    case 'boolean':
      return { type: 'boolean', isOptional: false };
    default:
      throw new RangeError(`No form shows a schema of the type ${type}`);
  }
}

function innerOf(schema: z.ZodMiniType | undefined): z.ZodMiniType {
  if (!schema) throw new RangeError('The schema has no inner schema');
  return schema;
}

function boundsOf({ checks = [] }: Definition): Pick<FieldSchema, 'minimum' | 'maximum'> {
  const bounds = checks.map(({ _zod: { def } }) => boundOf(def));
  return Object.assign({}, ...bounds);
}

function boundOf({ check, value, minimum, maximum }: CheckDefinition): Pick<FieldSchema, 'minimum' | 'maximum'> {
  const lowest = check === 'greater_than' ? value : minimum;
  const highest = check === 'less_than' ? value : maximum;
  return { ...(lowest !== undefined && { minimum: lowest }), ...(highest !== undefined && { maximum: highest }) };
}
