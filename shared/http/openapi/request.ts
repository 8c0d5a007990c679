import { type AnyContract, isIdempotent } from '../../contracts/contract.ts';
import { defaultPageItems, maximumCount } from '../../contracts/limits.ts';
import { descriptionOf } from './glossary.ts';
import { component, type JsonObject } from './json.ts';
import { type Definitions, jsonSchemaOf } from './json-schema.ts';

/** What stands in a URL is text; these are understood as numbers. */
const numbers: Readonly<Record<string, JsonObject>> = {
  limit: { type: 'integer', minimum: 1, maximum: maximumCount.pageItems, default: defaultPageItems },
  reward_transaction_id: { type: 'integer', minimum: 1 },
};

/** The parameters of an endpoint in path, query and header. */
export function parametersOf(contract: AnyContract): JsonObject[] {
  return [
    ...pathParameters(contract),
    ...queryParameters(contract),
    ...(isIdempotent(contract) ? [component('parameters', 'Idempotency-Key')] : []),
  ];
}

function pathParameters({ path }: AnyContract): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(name, { in: 'path', required: true, schema: numbers[name] ?? { type: 'string' } }),
  );
}

function queryParameters({ query }: AnyContract): JsonObject[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(query, 'input', {});
  return Object.entries(properties as Record<string, JsonObject>).map(([name, { description, ...schema }]) =>
    parameter(name, {
      in: 'query',
      required: (required as string[]).includes(name),
      schema: numbers[name] ?? schema,
    }),
  );
}

function parameter(name: string, rest: JsonObject): JsonObject {
  const description = descriptionOf(name);
  return { name, ...rest, ...(description && { description }) };
}

/** The body of an endpoint; undefined when it takes none. */
export function requestBodyOf({ body, bodyType, example }: AnyContract, definitions: Definitions) {
  if (!body) return undefined;
  const type = bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const schema = jsonSchemaOf(body, 'input', definitions);
  const sample = example?.request !== undefined && { example: example.request };
  return { required: true, content: { [type]: { schema, ...sample } } };
}
