import {
  type AnyContract,
  type ContractHost,
  type CredentialKind,
  type Host,
  type HostContract,
  hosts,
  isIdempotent,
  type ManagementContract,
  managementHost,
  managementPath,
} from '../../contracts/contract.ts';
import { descriptionOf } from '../../contracts/described.ts';
import { defaultPageItems, maximumCharacters, maximumCount } from '../../contracts/limits.ts';
import { pathInteger, requiredOneOf } from '../wire.ts';
import { componentsOf, securityOf } from './components.ts';
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

/** An OpenAPI 3.1 document of several hosts: the parts that are read here. */
export interface JoinedDocument extends JsonObject {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: Host; readonly description: string }[];
  readonly paths: Readonly<Record<string, JoinedPath>>;
  readonly components: JsonObject;
}

/** The operations of one path by method, and the servers of its host. */
interface JoinedPath {
  readonly servers: Edition['servers'];
  readonly [method: string]: unknown;
}

/** What each host is used for (specification, introduction). */
const hostPurposes: Readonly<Record<Host, string>> = {
  base: 'Partnerships, trigger events, users and reward transactions with a partner API key; tokens, the connect flow.',
  reward: 'Transaction tokens and transactions with a user access token; transactions by numeric id; refunds.',
  campaign: 'Campaigns, campaign templates, simulation.',
  user: 'The status of a user, with the access token of this user.',
  order: 'External orders and their refunds.',
  notification: 'Webhook subscriptions, their deliveries and replays.',
};

const info = {
  version: '1.0.0',
  summary: 'A loyalty-rewards network of merchants and loyalty partners.',
};

/**
 * The OpenAPI 3.1 document of a host.
 *
 * @param contracts the contracts of all hosts, because the names of operations are unique over all hosts
 */
export function openApiOf(host: ContractHost, contracts: readonly AnyContract[], edition: Edition): OpenApiDocument {
  const own = contracts.filter((contract) => contract.host === host);
  const definitions: Definitions = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const contract of own) {
    const operation = operationOf(contract, contracts, { definitions, tag: tagOf(contract) });
    paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: { ...info, title: `Rewards Platform: ${host} host`, version: edition.version },
    servers: edition.servers,
    tags: [...new Set(own.map(tagOf))].toSorted().map((name) => ({ name })),
    paths,
    ...(host === 'notification' && { webhooks: webhooks() }),
    components: componentsOf(own, definitions),
  };
}

/**
 * One OpenAPI 3.1 document of all hosts. Each path has the servers of its host, and each operation has the tag of its
 * host. The paths of a document are unique. So if several hosts have the same path, each of these paths except the
 * first ends with the host as a fragment (`/users/{id}#user`). A client does not send a fragment.
 */
export function joinedOpenApiOf(
  contracts: readonly HostContract[],
  editionOf: (host: Host) => Edition,
): JoinedDocument {
  const definitions: Definitions = {};
  const paths: Record<string, JoinedPath> = {};
  const owners = new Map<string, Host>();
  const inOrder = hosts.flatMap((host) => contracts.filter((contract) => contract.host === host));
  for (const contract of inOrder) {
    const { host, method, path } = contract;
    // OpenAPI compares paths without the names of their variables.
    const shape = path.replaceAll(/\{\w+\}/g, '{}');
    owners.set(shape, owners.get(shape) ?? host);
    const place = owners.get(shape) === host ? path : `${path}#${host}`;
    const operation = operationOf(contract, contracts, { definitions, tag: host });
    const { servers } = editionOf(host);
    paths[place] = { ...paths[place], [method.toLowerCase()]: operation, servers };
  }
  return {
    openapi: '3.1.0',
    info: { ...info, title: 'Rewards Platform', description: introduction },
    tags: hosts.map((name) => ({ name, description: hostPurposes[name] })),
    paths,
    webhooks: webhooks(),
    components: componentsOf(contracts, definitions),
  };
}

/** The OpenAPI 3.1 document of the host that only the dashboard calls. The tests check every reply against it. */
export const managementOpenApi = (contracts: readonly ManagementContract[]): OpenApiDocument =>
  openApiOf(managementHost, contracts, {
    version: info.version,
    servers: [{ url: managementPath, description: 'Below the address of the dashboard' }],
  });

const introduction = [
  'Six hosts, one document: each path lists the servers of its host. A path that ends with `#` and a host is the same path on another host; a request is sent without this ending.',
  'Partner API keys and user access tokens are sent in `x-api-key`, bearer tokens in `Authorization`. Each endpoint names what it needs.',
  'A success is `{ "code": "ok", "data": … }`. An error has its identifier in `error` (in `code` at some endpoints), a `message` for people and a `request_id`. Replies may gain fields: ignore those that you do not know.',
  'A field of a body that looks like a misspelt one is refused with 400, except at `/oauth/token` and `/oauth/revoke`. Other unknown fields are ignored, and the reply names them in `x-ignored-fields`.',
].join('\n\n');

/** The edition of published documents. The addresses are placeholders: partners receive the real ones separately. */
export function publishedEdition(host: Host): Edition {
  return {
    version: info.version,
    servers: [
      { url: `https://${host}.sandbox.rewards.example`, description: 'Sandbox (placeholder)' },
      { url: `https://${host}.rewards.example`, description: 'Production (placeholder)' },
    ],
  };
}

/** The document that an operation is a part of. */
interface OperationPlace {
  readonly definitions: Definitions;
  readonly tag: string;
}

/** One endpoint as an OpenAPI operation. */
function operationOf(
  contract: AnyContract,
  all: readonly AnyContract[],
  { definitions, tag }: OperationPlace,
): JsonObject {
  const parameters = parametersOf(contract);
  const requestBody = requestBodyOf(contract, definitions);
  const description = conditionsOf(contract);
  return {
    operationId: operationIdOf(contract, all),
    summary: contract.summary,
    ...(description && { description }),
    tags: [tag],
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

/** The tag of an endpoint in the document of its host: the first segment of its path. */
function tagOf({ path }: AnyContract): string {
  return path.split('/')[1]?.replace('.json', '') ?? '';
}

const needs: Readonly<Partial<Record<CredentialKind, string>>> = {
  bearer: 'Needs the scope',
  client: 'A partner key needs the permission',
};

function conditionsOf(contract: AnyContract): string {
  const { permission, credential } = contract;
  const sentences = [
    permission && `${needs[credential.kind] ?? 'Needs the permission'} \`${permission}\`.`,
    isIdempotent(contract) && 'Can be repeated safely with the same `Idempotency-Key`.',
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Query parameters that are numbers. Their contracts declare a text, because every value in a URL is a text. */
const numbers: Readonly<Record<string, JsonObject>> = {
  limit: { type: 'integer', minimum: 1, maximum: maximumCount.pageItems, default: defaultPageItems },
};

/** The parameters of an endpoint in path, query and header. */
function parametersOf(contract: AnyContract): JsonObject[] {
  return [
    ...pathParameters(contract),
    ...queryParameters(contract),
    ...(isIdempotent(contract) ? [component('parameters', 'Idempotency-Key')] : []),
  ];
}

function pathParameters({ path, params }: AnyContract): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = params?.shape[name];
    return {
      name,
      description: descriptionOf(schema),
      in: 'path',
      required: true,
      schema:
        schema?._zod.parent === pathInteger
          ? { type: 'integer', minimum: 1 }
          : { type: 'string', maxLength: maximumCharacters.pathParameter },
    };
  });
}

function queryParameters({ query }: AnyContract): JsonObject[] {
  if (!query) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(query, { io: 'input', definitions: {} });
  // Parameters cannot say "one of these". So the first name of a group is required in the document.
  const firstOfGroups = (requiredOneOf.get(query)?.groups ?? []).map(([first]) => first);
  return Object.entries(properties as Record<string, JsonObject>).map(([name, { description, ...schema }]) => ({
    name,
    ...(description !== undefined && { description }),
    in: 'query',
    required: [...(required as string[]), ...firstOfGroups].includes(name),
    schema: numbers[name] ?? schema,
  }));
}

/** The request body of an endpoint; undefined when it has none. */
function requestBodyOf({ body, bodyType, example }: AnyContract, definitions: Definitions) {
  if (!body) return undefined;
  const type = bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  const schema = jsonSchemaOf(body, { io: 'input', definitions });
  const sample = example?.request !== undefined && { example: example.request };
  return { required: true, content: { [type]: { schema, ...sample } } };
}
