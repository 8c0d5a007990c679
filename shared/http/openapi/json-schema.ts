import * as z from 'zod/mini';
import { descriptionOf } from './glossary.ts';
import type { JsonObject } from './json.ts';
import { named } from './named-schemas.ts';

/** Schemas of contracts as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. */

type Direction = 'input' | 'output';
type Mutable = Record<string, unknown>;

/** What a schema refers to, by name. */
export type Definitions = Record<string, JsonObject>;

/**
 * The schema as callers write it (`input`) or read it (`output`). Schemas with a name of their own go to
 * `definitions`, and are referred to.
 */
export function jsonSchemaOf(schema: z.ZodMiniType, io: Direction, definitions: Definitions): JsonObject {
  const { $schema, $defs, ...converted } = z.toJSONSchema(schema, {
    io,
    // Rules that JSON Schema cannot say are told in words.
    unrepresentable: 'any',
    // A name means the schema of replies: what may be sent is laxer.
    metadata: io === 'output' ? named : z.registry<{ id: string }>(),
    override: ({ zodSchema, jsonSchema }) => simplify(zodSchema, jsonSchema as Mutable, io),
  }) as Mutable;
  for (const [name, definition] of Object.entries(($defs ?? {}) as Definitions)) {
    definitions[name] = withReferences(definition);
  }
  return withReferences(converted);
}

/** Definitions live elsewhere in an OpenAPI document than in a JSON Schema. */
function withReferences(schema: object): JsonObject {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function simplify({ _zod: { def } }: z.core.$ZodType, schema: Mutable, io: Direction): void {
  if (def.type === 'pipe' && io === 'input') narrow(schema, (def as z.core.$ZodPipeDef).out);
  if (def.type === 'record') delete schema.propertyNames;
  withoutSafeBounds(schema);
  withoutPattern(schema, def);
  joinConstants(schema);
  // Receivers of replies are to ignore what is added later.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.id;
  describeProperties(schema);
}

/** What comes first in a pipe is not yet all that is asked: a text that names an event, say. */
function narrow(schema: Mutable, out: z.core.$ZodType): void {
  if (out._zod.def.type === 'transform') return;
  const { $schema, ...second } = z.toJSONSchema(out, { io: 'input', unrepresentable: 'any' }) as Mutable;
  Object.assign(schema, second);
  withoutPattern(schema, out._zod.def);
}

/** Every integer of JSON has these bounds. */
function withoutSafeBounds(schema: Mutable): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** A format says it better than a pattern of 300 characters; an instant without an offset has no format. */
function withoutPattern(schema: Mutable, def: z.core.$ZodTypeDef): void {
  const isLocal = 'local' in def && def.local === true;
  if (isLocal) {
    delete schema.format;
    schema.pattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?$';
  } else if (schema.format !== undefined) delete schema.pattern;
}

/** `anyOf` of constants, as zod writes it, is an `enum`; its numbers are whole ones. */
function joinConstants(schema: Mutable): void {
  const options = schema.anyOf as Mutable[] | undefined;
  if (options?.every((option) => 'const' in option)) {
    schema.enum = options.map((option) => option.const);
    schema.type = options[0]?.type;
    delete schema.anyOf;
  }
  const values = schema.enum as unknown[] | undefined;
  if (values?.every(Number.isInteger)) schema.type = 'integer';
}

function describeProperties(schema: Mutable): void {
  const properties = (schema.properties ?? {}) as Record<string, Mutable>;
  for (const [name, property] of Object.entries(properties)) {
    const description = descriptionOf(name);
    if (description && !property.description) property.description = description;
  }
}
