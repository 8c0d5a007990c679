import type { JoinedDocument } from '../../../shared/http/openapi/document.ts';

/** The Postman collection (format 2.1) of the joined OpenAPI document. Bruno, Insomnia and Hoppscotch import it too. */

type JsonObject = { readonly [name: string]: unknown };

/** The fields of an operation that its request is made from. */
interface Operation extends JsonObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly JsonObject[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly content?: JsonObject }>>;
}

/** A parameter, or a reference to a parameter that several operations share. */
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}

const variable = (name: string): string => `{{${name}}}`;

/**
 * How a request authenticates its caller with each security scheme. Schemes with signatures are left out: signatures
 * would need code in the collection.
 */
const authBySchemes: Readonly<Record<string, JsonObject>> = {
  partnerKey: apiKey('partner_key'),
  userToken: apiKey('user_token'),
  bearer: { type: 'bearer', bearer: attributes({ token: variable('bearer_token') }) },
  client: {
    type: 'basic',
    basic: attributes({ username: variable('client_id'), password: variable('client_secret') }),
  },
};

/** The secrets of a caller. They are empty in the collection: fill them in an environment. */
const secrets = ['partner_key', 'user_token', 'bearer_token', 'client_id', 'client_secret'];

/**
 * For each operation, the values of its reply that later requests use: the variable, and the value's place in the
 * reply.
 */
const captures: Readonly<Record<string, readonly [variable: string, place: string]>> = {
  issueToken: ['bearer_token', 'access_token'],
  authenticateTransaction: ['authentication_id', 'data.authentication_id'],
  createTransaction: ['reward_transaction_id', 'data.reward_transactions[0].id'],
  createConnectToken: ['connect_token', 'data.connect_token'],
  createOrder: ['order_id', 'data.order_id'],
  subscribeWebhook: ['subscription_id', 'data.subscription_id'],
  startReplay: ['replay_id', 'data.replay.replay_id'],
};

/** Request fields that contain a variable instead of the example's value. */
const bodyVariables: Readonly<Record<string, string>> = { reward_authentication_token: 'authentication_id' };

/** The collection of a joined document: a folder for each host, a request for each operation. */
export function postmanCollectionOf({ info, tags, paths }: JoinedDocument): JsonObject {
  const { title, version, description } = info;
  const hosts = tags.map((host) => ({ ...host, requests: requestsOf(host.name, paths) }));
  const requests = hosts.flatMap((host) => host.requests);
  const variables = [...hosts.map(({ name }) => `${name}_url`), ...secrets, ...usedVariables(requests)];
  return {
    info: {
      _postman_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e00',
      name: title,
      version,
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item: hosts.map(({ name, description: purpose, requests: item }) => ({ name, description: purpose, item })),
    variable: [...new Set(variables)].map((key) => ({ key, value: '' })),
  };
}

/** The variables in the texts of some requests, in alphabetical order. */
function usedVariables(requests: readonly JsonObject[]): string[] {
  const names = [...JSON.stringify(requests).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  return [...new Set(names)].toSorted();
}

function requestsOf(host: string, paths: JoinedDocument['paths']): JsonObject[] {
  return Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>)
      .filter(([, operation]) => operation.tags.includes(host))
      .map(([method, operation]) => requestOf(method.toUpperCase(), path.replace(/#.*/, ''), operation)),
  );
}

function requestOf(method: string, path: string, operation: Operation): JsonObject {
  const { operationId, summary, description, requestBody } = operation;
  const [host = ''] = operation.tags;
  const content = Object.entries(requestBody?.content ?? {})[0];
  const capture = captures[operationId];
  return {
    name: operationId,
    request: {
      method,
      auth: authOf(operation),
      header: headersOf(operation, content?.[0]),
      url: urlOf(host, path, operation.parameters ?? []),
      description: [summary, description].filter(Boolean).join('\n\n'),
      ...(content && { body: bodyOf(...content) }),
    },
    ...(capture && { event: [captureEvent(...capture)] }),
    response: [],
  };
}

function authOf({ security }: Operation): JsonObject {
  const scheme = security.flatMap((each) => Object.keys(each)).find((name) => authBySchemes[name]);
  return scheme === undefined ? { type: 'noauth' } : (authBySchemes[scheme] ?? { type: 'noauth' });
}

function headersOf({ parameters = [] }: Operation, contentType: string | undefined): JsonObject[] {
  const isIdempotent = parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key'));
  return [
    ...(contentType === undefined ? [] : [{ key: 'Content-Type', value: contentType }]),
    ...(isIdempotent
      ? [{ key: 'Idempotency-Key', value: variable('$guid'), description: 'A new key for each send.' }]
      : []),
  ];
}

/** Path parameters are variables of the collection, because a later request often uses the id of an earlier reply. */
function urlOf(host: string, path: string, parameters: readonly Parameter[]): JsonObject {
  const segments = path
    .split('/')
    .slice(1)
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const inPath = parameters.filter((each) => each.in === 'path');
  const query = parameters.filter((each) => each.in === 'query');
  return {
    raw: `${variable(`${host}_url`)}/${segments.join('/')}`,
    host: [variable(`${host}_url`)],
    path: segments,
    ...(query.length > 0 && {
      query: query.map(({ name, required = false, description }) => ({
        key: name,
        value: name === 'campaign_types' ? '1,2,3,4' : '',
        description,
        disabled: !required && name !== 'campaign_types',
      })),
    }),
    ...(inPath.length > 0 && {
      variable: inPath.map(({ name, description }) => ({
        key: name,
        value: variable(idVariable(host, path, name)),
        description,
      })),
    }),
  };
}

/** `{id}` of `/users/{id}` is the variable `user_uuid`, or `user_id` where the host takes integers. */
function idVariable(host: string, path: string, name: string): string {
  const [, collection = ''] = path.split('/');
  return name === 'id' ? `${collection.replace(/s$/, '')}_${host === 'user' ? 'id' : 'uuid'}` : name;
}

function bodyOf(type: string, { example }: { readonly example?: unknown }): JsonObject {
  const filled = Object.entries(Object(example)).map(([name, value]): [string, unknown] => {
    const bound = bodyVariables[name];
    return [name, bound === undefined ? value : variable(bound)];
  });
  if (type === 'application/json') {
    const raw = JSON.stringify(Object.fromEntries(filled), null, 2);
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
  }
  return { mode: 'urlencoded', urlencoded: filled.map(([key, value]) => ({ key, value: String(value) })) };
}

/** A script that stores a value of a successful reply in a variable. */
function captureEvent(name: string, place: string): JsonObject {
  const value = `pm.response.json().${place}`;
  const exec = [`if (pm.response.code === 200) pm.collectionVariables.set('${name}', ${value});`];
  return { listen: 'test', script: { type: 'text/javascript', exec } };
}

function apiKey(name: string): JsonObject {
  return { type: 'apikey', apikey: attributes({ key: 'x-api-key', value: variable(name), in: 'header' }) };
}

function attributes(values: Readonly<Record<string, string>>): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }));
}
