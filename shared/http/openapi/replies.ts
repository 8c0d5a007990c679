import { type AnyContract, isIdempotent } from '../../contracts/contract.ts';
import { withEnvelope } from '../reply.ts';
import { errorSchemas } from './error-schemas.ts';
import { component, type JsonObject } from './json.ts';
import { type Definitions, jsonSchemaOf } from './json-schema.ts';
import { type DocumentedRefusal, refusalsOf } from './refusals.ts';

/** The replies of an endpoint by their status. */
export function repliesOf(contract: AnyContract, definitions: Definitions): JsonObject {
  const byStatus = Map.groupBy(refusalsOf(contract), ({ status }) => status);
  return {
    ...successes(contract, definitions),
    ...Object.fromEntries([...byStatus].map(([status, refusals]) => [status, refusal(contract, refusals)])),
  };
}

function successes(contract: AnyContract, definitions: Definitions): JsonObject {
  const headers = headersOf(contract, []);
  if (contract.envelope === 'page') {
    const content = { 'text/html': { schema: { type: 'string' } } };
    const location = { Location: { description: 'Where to go on.', required: true, schema: { type: 'string' } } };
    return {
      200: { description: 'A page.', headers, content },
      ...(contract.method === 'POST' && {
        303: { description: "The way to the merchant's page.", headers: { ...headers, ...location }, content },
      }),
    };
  }
  const example = contract.example && { example: withEnvelope(contract, contract.example.reply) };
  const schema = envelopeSchema(contract, jsonSchemaOf(contract.data, 'output', definitions));
  return { 200: { description: 'Success.', headers, content: { 'application/json': { schema, ...example } } } };
}

const ok = { code: { type: 'string', const: 'ok' } };

function envelopeSchema({ envelope = 'data' }: AnyContract, data: JsonObject): JsonObject {
  if (envelope === 'bare') return data;
  const properties = envelope === 'list' ? { ...ok, ...(data.properties as JsonObject) } : { ...ok, data };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function refusal(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const identifiers = [...new Set(refusals.map(({ identifier }) => identifier))];
  return {
    description: identifiers.join(', '),
    headers: headersOf(contract, refusals),
    content: errorContent(contract, refusals),
  };
}

function errorContent(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const schemas = errorSchemas(contract, refusals);
  const json = schemas.length > 0 && { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } };
  return {
    ...(contract.envelope === 'page' && { 'text/html': { schema: { type: 'string' } } }),
    ...(json && { 'application/json': json }),
  };
}

function headersOf(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const isReplayable = isIdempotent(contract) && !refusals.some(({ status }) => status >= 413);
  const names = new Set([
    'x-request-id',
    ...(isReplayable ? ['Idempotent-Replayed'] : []),
    ...refusals.flatMap(({ headers = [] }) => headers),
  ]);
  return Object.fromEntries([...names].map((name) => [name, component('headers', name)]));
}
