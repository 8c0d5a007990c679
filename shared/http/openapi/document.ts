import { type AnyContract, type Host, isIdempotent } from '../../contracts/contract.ts';
import { defaultPageItems, maximumCount } from '../../contracts/limits.ts';
import { componentsOf, securityOf } from './components.ts';
import { descriptionOf } from './glossary.ts';
import { camelCase, component, type Definitions, type JsonObject, jsonSchemaOf } from './json-schema.ts';
import { repliesOf } from './replies.ts';
import { webhooks } from './webhooks.ts';

/** An OpenAPI 3.1 document: the parts that are read here. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly components: JsonObject;
}

/** Version and addresses of a document. */
interface Edition {
  readonly version: string;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
}

/**
 * The OpenAPI 3.1 document of a host.
 *
 * @param contracts the contracts of all hosts, because the names of operations are unique over all hosts
 */
export function openApiOf(host: Host, contracts: readonly AnyContract[], edition: Edition): OpenApiDocument {
  const own = contracts.filter((contract) => contract.host === host);
  const definitions: Definitions = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const contract of own) {
    const operation = operationOf(contract, contracts, definitions);
    paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Rewards Platform: ${host} host`,
      version: edition.version,
      summary: 'A loyalty-rewards network of merchants and loyalty partners.',
    },
    servers: edition.servers,
    tags: [...new Set(own.map(tagOf))].toSorted().map((name) => ({ name })),
    paths,
    ...(host === 'notification' && { webhooks: webhooks() }),
    components: componentsOf(own, definitions),
  };
}

/** The edition with placeholders: each partner receives the addresses of its two environments separately. */
export function publishedEdition(host: Host): Edition {
  return {
    version: '1.0.0',
    servers: [
      { url: `https://${host}.sandbox.rewards.example`, description: 'Sandbox (placeholder)' },
      { url: `https://${host}.rewards.example`, description: 'Production (placeholder)' },
    ],
  };
}

/** One endpoint as an OpenAPI operation. */
function operationOf(contract: AnyContract, all: readonly AnyContract[], definitions: Definitions): JsonObject {
  const parameters = parametersOf(contract);
  const requestBody = requestBodyOf(contract, definitions);
  const description = conditionsOf(contract);
  return {
    operationId: operationIdOf(contract, all),
    summary: contract.summary,
    ...(description && { description }),
    tags: [tagOf(contract)],
    security: securityOf(contract),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: repliesOf(contract, definitions),
  };
}

/** `getUser`; with the host as prefix when two hosts have an endpoint of the same name. */
function operationIdOf({ host, name }: AnyContract, all: readonly AnyContract[]): string {
  const isShared = all.some((other) => other.name === name && other.host !== host);
  return camelCase(isShared ? `${host}-${name}` : name);
}

/** The tag of an endpoint: the first segment of its path. */
function tagOf({ path }: AnyContract): string {
  return path.split('/')[1]?.replace('.json', '') ?? '';
}

function conditionsOf(contract: AnyContract): string {
  const { permission, credential } = contract;
  const sentences = [
    permission && `Needs the ${credential.kind === 'bearer' ? 'scope' : 'permission'} \`${permission}\`.`,
    isIdempotent(contract) && 'Can be repeated safely with the same `Idempotency-Key`.',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Values in a URL are texts. These texts represent numbers. */
const numbers: Readonly<Record<string, JsonObject>> = {
  limit: { type: 'integer', minimum: 1, maximum: maximumCount.pageItems, default: defaultPageItems },
  reward_transaction_id: { type: 'integer', minimum: 1 },
};

/** The parameters of an endpoint in path, query and header. */
function parametersOf(contract: AnyContract): JsonObject[] {
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

/** The request body of an endpoint; undefined when it has none. */
function requestBodyOf({ body, bodyType, example }: AnyContract, definitions: Definitions) {
  if (!body) return undefined;
  const type = bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const schema = jsonSchemaOf(body, 'input', definitions);
  const sample = example?.request !== undefined && { example: example.request };
  return { required: true, content: { [type]: { schema, ...sample } } };
}
