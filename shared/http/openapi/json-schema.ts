import * as z from 'zod/mini';
import { Cursors } from '../paging.ts';
import { CampaignFlow, ListedCampaign } from '../views/campaign.ts';
import { CampaignTemplate } from '../views/campaign-template.ts';
import { ExternalOrder } from '../views/order.ts';
import { PartnershipView } from '../views/partnership.ts';
import { BearerTransaction, CreatedTransaction, PartnerKeyTransaction } from '../views/reward-transaction.ts';
import { PartnerKeyUser, UserTokenUser } from '../views/user.ts';
import { requiredOneOf } from '../wire.ts';

/** A JSON object of an OpenAPI document. */
export type JsonObject = { readonly [name: string]: unknown };

/** A reference to a component of the document. */
export function component(kind: 'schemas' | 'headers' | 'parameters', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** `get-user-status` as `getUserStatus`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type Direction = 'input' | 'output';
type MutableSchema = z.core.JSONSchema.BaseSchema;

/** The schemas to which a document refers, by name. */
export type Definitions = Record<string, JsonObject>;

/** Where and how a schema is used. */
interface SchemaUse {
  /** As callers write the value (`input`) or read it (`output`). */
  readonly io: Direction;
  /** Receives the schemas that have a name. */
  readonly definitions: Definitions;
}

/**
 * Converts a schema to JSON Schema 2020-12, the dialect of OpenAPI 3.1. Puts each schema with a name into `definitions`,
 * and a reference in its place.
 */
export function jsonSchemaOf(schema: z.ZodMiniType, { io, definitions }: SchemaUse): JsonObject {
  const {
    $schema,
    $defs = {},
    ...converted
  }: MutableSchema = z.toJSONSchema(schema, {
    io,
    // JSON Schema cannot express some rules; descriptions contain them.
    unrepresentable: 'any',
    // Only schemas of replies get names. Requests cannot share these schemas, because the same fields are less strict
    // in a request.
    metadata: io === 'output' ? named : z.registry<{ id: string }>(),
    override: ({ zodSchema, jsonSchema }) => simplify(zodSchema, jsonSchema, io),
  });
  for (const name of Object.keys(schemas)) {
    const definition = $defs[name];
    if (definition) definitions[name] = tidy(definition);
  }
  return tidy(converted);
}

/**
 * Changes references to definitions: from the path that JSON Schema uses to the path that OpenAPI uses. Puts
 * descriptions first.
 */
function tidy(schema: object): JsonObject {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text, (_, value) =>
    typeof value?.description === 'string' ? { description: value.description, ...value } : value,
  );
}

function simplify(zodSchema: z.core.$ZodType, schema: MutableSchema, io: Direction): void {
  const { def } = zodSchema._zod;
  Object.assign(schema, z.globalRegistry.get(zodSchema));
  if (io === 'input' && isPipe(zodSchema)) narrow(schema, zodSchema._zod.def.out);
  if (def.type === 'record') delete schema.propertyNames;
  removeSafeBounds(schema);
  simplifyPattern(schema, def);
  joinConstants(schema);
  requireOneOf(zodSchema, schema);
  // Both sides ignore fields that they do not know. So the types of clients have the known fields only.
  if (def.type === 'object') delete schema.additionalProperties;
  delete schema.id;
}

const isPipe = (schema: z.core.$ZodType): schema is z.core.$ZodPipe => schema._zod.def.type === 'pipe';

/**
 * Adds the rules of a pipe's second schema. For example, the first schema accepts any text, and the second only names
 * of events.
 */
function narrow(schema: MutableSchema, out: z.core.$ZodType): void {
  if (out._zod.def.type === 'transform') return;
  const { $schema, ...second } = z.toJSONSchema(out, { io: 'input', unrepresentable: 'any' });
  Object.assign(schema, second);
  simplifyPattern(schema, out._zod.def);
}

/** Removes the bounds of safe integers: every integer has them. */
function removeSafeBounds(schema: MutableSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * Removes a pattern next to a format, because the format is enough. A time without an offset gets a pattern in place of
 * its format.
 */
function simplifyPattern(schema: MutableSchema, def: z.core.$ZodTypeDef): void {
  const isLocal = 'local' in def && def.local === true;
  if (isLocal) {
    delete schema.format;
    schema.pattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?$';
  } else if (schema.format !== undefined) delete schema.pattern;
}

/**
 * Requires one field of each group of {@link requiredOneOf}. The schemas without a type are for generators of types, which ignore
 * a required field that is not among the properties.
 */
function requireOneOf(zodSchema: z.core.$ZodType, schema: MutableSchema): void {
  const groups = requiredOneOf.get(zodSchema as z.ZodMiniType)?.groups ?? [];
  const choices = groups.map((names) => ({
    anyOf: names.map((name) => ({ properties: { [name]: descriptionIn(schema, name) }, required: [name] })),
  }));
  if (choices.length > 0) schema.allOf = choices;
}

function descriptionIn({ properties }: MutableSchema, name: string): JsonObject {
  const { description } = Object(properties?.[name]);
  return description === undefined ? {} : { description };
}

/** Replaces `anyOf` of constants with `enum`, and the type of whole numbers with `integer`. */
function joinConstants(schema: MutableSchema): void {
  const options = schema.anyOf;
  const [first] = options ?? [];
  if (options?.every((option) => option.const !== undefined)) {
    schema.enum = options.map(({ const: value = null }) => value);
    if (first?.type) schema.type = first.type;
    delete schema.anyOf;
  }
  if (schema.enum?.every(Number.isInteger)) schema.type = 'integer';
}

/** The schemas of replies that get a name in the documents, and so in the types of clients; in the order of the documents. */
const named = z.registry<{ id: string }>();

const schemas: Readonly<Record<string, z.ZodMiniType>> = {
  CampaignTemplate,
  CampaignFlow,
  Partnership: PartnershipView,
  Campaign: ListedCampaign,
  Cursors,
  ExternalOrder,
  CreatedTransaction,
  RewardTransaction: PartnerKeyTransaction,
  RewardTransactionOfBearer: BearerTransaction,
  User: PartnerKeyUser,
  UserStatus: UserTokenUser,
};

for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
