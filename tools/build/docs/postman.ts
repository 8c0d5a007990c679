import type { JoinedDocument } from '../../../shared/http/openapi/document.ts';
import {
  environmentVariables,
  firstReward,
  hostFolders,
  numericVariables,
  type PostmanFolder,
  type PostmanStep,
} from './postman-folders.ts';

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

const secrets = ['partner_key', 'user_token', 'refresh_token', 'bearer_token', 'client_id', 'client_secret', 'proof'];

/** Values of variables that are the same everywhere. The others are empty in the collection. */
const defaults: Readonly<Record<string, string>> = { payment_platform: 'square', payment_account: 'not-connected' };

/** The collection of a joined document: the folder to begin with, and a folder with all requests of each host. */
export function postmanCollectionOf({ info, tags, paths }: JoinedDocument): JsonObject {
  const { title, version, description } = info;
  const operations = operationsOf(paths);
  const item = [
    { ...folderOf(firstReward, operations), item: [openAccount, ...requestsOf(firstReward.steps, operations)] },
    ...Object.entries(hostFolders).map(([name, steps]) => {
      const purpose = tags.find((tag) => tag.name === name)?.description ?? '';
      return folderOf({ name, description: purpose, steps }, operations);
    }),
  ];
  const variables = [...environmentVariables, ...secrets, ...usedVariables(item)];
  return {
    info: {
      _postman_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e00',
      name: title,
      version,
      description: `${description}\n\n${howToBegin}`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    item,
    variable: [...new Set(variables)].map((key) => ({ key, value: defaults[key] ?? '' })),
  };
}

const howToBegin =
  'Fill the variables with an environment: `npm start` offers one of the running platform (`postman_environment.json` of the API reference). Then run the folder "First reward", and after it any other folder or the whole collection. Every request checks the status of its reply.';

/** The variables in the texts of some requests, in alphabetical order. */
function usedVariables(requests: readonly JsonObject[]): string[] {
  const names = [...JSON.stringify(requests).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name);
  return [...new Set(names)].toSorted();
}

/** An operation with the place where it is called. */
interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}
type Operations = ReadonlyMap<string, PlacedOperation>;

function operationsOf(paths: JoinedDocument['paths']): Operations {
  const placed = Object.entries(paths).flatMap(([path, { servers, ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(/#.*/, ''),
      operation,
    })),
  );
  return new Map(placed.map((each) => [each.operation.operationId, each]));
}

const folderOf = ({ name, description, steps }: PostmanFolder, operations: Operations): JsonObject => ({
  name,
  description,
  item: requestsOf(steps, operations),
});

const requestsOf = (steps: readonly PostmanStep[], operations: Operations): JsonObject[] =>
  steps.map((step) => {
    const placed = operations.get(step.operation);
    if (!placed) throw new Error(`the document has no operation ${step.operation}`);
    return requestOf(placed, step);
  });

function requestOf({ method, path, operation }: PlacedOperation, step: PostmanStep): JsonObject {
  const { operationId, summary, description, requestBody } = operation;
  const [host = ''] = operation.tags;
  const content = Object.entries(requestBody?.content ?? {})[0];
  return {
    name: step.name ?? operationId,
    // The reply of the connect page is a redirect to the merchant, and that page may not exist.
    protocolProfileBehavior: { followRedirects: false },
    request: {
      method,
      auth: authOf(operation),
      header: headersOf(operation, content?.[0]),
      url: urlOf(host, path, operation.parameters ?? []),
      description: [summary, description].filter(Boolean).join('\n\n'),
      ...(content && { body: bodyOf(content[0], { ...Object(content[1].example), ...step.fields }) }),
    },
    event: [scriptOf('test', checksOf(step))],
    response: [],
  };
}

/** The checks of a reply: its status, and that it has the values that later requests use. */
function checksOf({ status = 200, captures = {} }: PostmanStep): string[] {
  const stored = Object.entries(captures).map(
    ([name, place]) => `pm.collectionVariables.set('${name}', pm.response.json().${place});`,
  );
  return [`pm.test('replies ${status}', () => pm.response.to.have.status(${status}));`, ...stored];
}

const scriptOf = (listen: 'test' | 'prerequest', exec: readonly string[]): JsonObject => ({
  listen,
  script: { type: 'text/javascript', exec },
});

/** Opens an account in the loyalty program of the demonstration. A real program opens its accounts itself. */
const openAccount: JsonObject = {
  name: 'Open an account (only with the program of npm start)',
  request: {
    method: 'PUT',
    auth: { type: 'noauth' },
    header: [{ key: 'Content-Type', value: 'application/json' }],
    url: { raw: '{{program_url}}/control/accounts', host: ['{{program_url}}'], path: ['control', 'accounts'] },
    description:
      'Skipped without `program_url`. Then `member_id` and `proof` of the environment are an account that the operators gave you.',
    body: {
      mode: 'raw',
      raw: '{ "accounts": [{ "member_id": "{{member_id}}", "proof": "{{proof}}", "first_name": "Ada", "last_name": "Byron", "email": "{{customer_id}}@example.com", "status_tier_id": 1, "balance": 1200 }] }',
      options: { raw: { language: 'json' } },
    },
  },
  event: [
    scriptOf('prerequest', [
      'const run = String(Date.now());',
      "const values = { run, customer_id: 'postman-' + run, member_id: 'POSTMAN-' + run, proof: '246802' };",
      'for (const [name, value] of Object.entries(values)) pm.collectionVariables.set(name, value);',
      "if (!pm.variables.get('program_url')) pm.execution.skipRequest();",
    ]),
    scriptOf('test', ["pm.test('replies 200', () => pm.response.to.have.status(200));"]),
  ],
  response: [],
};

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

/**
 * `{id}` of `/users/{id}` is the variable `user_uuid`, or `user_id` where the host takes integers. A transaction has one
 * variable on all hosts: its integer id.
 */
function idVariable(host: string, path: string, name: string): string {
  const [, collection = ''] = path.split('/');
  if (collection === 'transactions') return 'reward_transaction_id';
  return name === 'id' ? `${collection.replace(/s$/, '')}_${host === 'user' ? 'id' : 'uuid'}` : name;
}

const numbers = new RegExp(`"(\\{\\{(?:${numericVariables.join('|')})\\}\\})"`, 'g');

function bodyOf(type: string, fields: object): JsonObject {
  if (type === 'application/json') {
    const raw = JSON.stringify(fields, null, 2).replaceAll(numbers, '$1');
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
  }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { mode: 'urlencoded', urlencoded: given.map(([key, value]) => ({ key, value: String(value) })) };
}

function apiKey(name: string): JsonObject {
  return { type: 'apikey', apikey: attributes({ key: 'x-api-key', value: variable(name), in: 'header' }) };
}

function attributes(values: Readonly<Record<string, string>>): JsonObject[] {
  return Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }));
}
