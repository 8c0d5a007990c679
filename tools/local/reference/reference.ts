import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { close, listen, toUrl } from '../ports.ts';
import { type Collection, type LiveExample, type LiveExamples, makeLiveExamples } from './live-examples.ts';
import { page } from './page.ts';

/** The credentials that the page fills in. Without the demonstration, there are none. */
interface ReferenceCredentials {
  readonly partnerKey?: string | undefined;
  readonly userToken?: string | undefined;
  readonly bearer?: string | undefined;
  readonly client?: { readonly id: string; readonly secret: string } | undefined;
}

/** An environment of Postman: the values of the collection's variables. */
export interface PostmanEnvironment {
  readonly name: string;
  readonly values: readonly { readonly key: string; readonly value: string; readonly enabled: true }[];
}

export interface ReferenceOptions {
  readonly port?: number;
  /** Base URL of each host. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly credentials: ReferenceCredentials;
  /** The environment of Postman that fills the variables of the collection. */
  readonly environment: PostmanEnvironment;
}

/** The running reference. */
export interface Reference {
  readonly url: string;
  close(): Promise<void>;
}

/** The generated files that the page shows and offers. */
const apiFolder = new URL('../../../docs/api/', import.meta.url);
const collectionFile = new URL('rewards-platform.postman_collection.json', apiFolder);
const viewerFolder = () => dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  json: 'application/json',
  png: 'image/png',
};

/**
 * Serves the API reference: a page to read the joined OpenAPI document in and to send requests from. The page needs
 * nothing from the network. It sends its requests to this server, which passes them on to the hosts: for a browser,
 * each host is another origin.
 */
export async function startReference({ port, hosts, credentials, environment }: ReferenceOptions): Promise<Reference> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      // The host broke off in the middle of its reply.
      if (response.headersSent) response.destroy();
      else reply(response, 502, 'json', JSON.stringify(error.message));
    });
  });
  const contents: Readonly<Record<string, () => Promise<string> | string>> = {
    '/': () => page,
    '/openapi.json': async () => withServers(await readFile(new URL('openapi.json', apiFolder), 'utf8'), hosts),
    '/live.json': async () => JSON.stringify(await makeLivePage({ hosts, credentials, environment })),
    '/postman_collection.json': () => readFile(collectionFile, 'utf8'),
    '/postman_environment.json': () => JSON.stringify(environment),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page on the internet can make its own domain name lead to this machine. The requests of the page then have this
    // name in `Host`, and are refused.
    const { hostname, pathname, search } = new URL(request.url ?? '/', `http://${request.headers.host}`);
    if (!['127.0.0.1', 'localhost'].includes(hostname)) return reply(response, 421, 'json', '"not this host"');
    const [, place = '', name = '', ...rest] = pathname.split('/');
    if (place === 'send' && hosts[name] !== undefined) {
      return passOn(request, response, `${hosts[name]}/${rest.join('/')}${search}`);
    }
    if (place === 'viewer' && /^[\w-]+(\.[\w-]+)+$/.test(name)) return sendFile(response, join(viewerFolder(), name));
    const content = contents[pathname];
    if (!content) return reply(response, 404, 'json', '"there is no such page"');
    reply(response, 200, /\.json$/.test(pathname) ? 'json' : 'html', await content());
  };

  const url = toUrl(await listen(server, port));
  return { url: `${url}/`, close: () => close(server) };
}

function reply(response: ServerResponse, status: number, kind: string, body: string): void {
  response.writeHead(status, { 'Content-Type': types[kind], 'Cache-Control': 'no-store' }).end(body);
}

function sendFile(response: ServerResponse, file: string): void {
  if (existsSync(file)) {
    response.writeHead(200, { 'Content-Type': types[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  } else reply(response, 404, 'json', '"there is no such file"');
}

/** Passes a request on to a host, and its reply back. */
function passOn(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
  const { host: _, connection: _connection, ...headers } = request.headers;
  return new Promise((resolve, reject) => {
    const forwarded = sendRequest(url, { method: request.method, headers }, (received) => {
      const { statusCode = 502, headers: replied } = received;
      // A browser would follow the redirect to a page of the merchant, and show nothing.
      if (statusCode >= 300 && statusCode < 400) {
        received.resume();
        reply(response, 200, 'json', JSON.stringify({ status: statusCode, location: replied.location }));
        return resolve();
      }
      response.writeHead(statusCode, replied);
      // A pipeline ends the reply even when the host breaks off.
      pipeline(received, response).then(resolve, reject);
    });
    pipeline(request, forwarded).catch(reject);
  });
}

type Operation = {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
};
interface MediaType {
  readonly schema: { readonly properties?: Readonly<Record<string, object>> };
  readonly example?: unknown;
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** The document with the addresses of this platform. The tag of an operation is its host. */
function withServers(text: string, hosts: ReferenceOptions['hosts']): string {
  const document: Document = JSON.parse(text);
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const host = Object.values(item).find(({ tags }) => tags)?.tags?.[0] ?? '';
    return [path, { ...item, servers: [{ url: hosts[host], description: 'This platform' }] }];
  });
  return JSON.stringify({ ...document, paths: Object.fromEntries(paths) });
}

/** What the page shows: the document with examples that work as they are, and the credentials that belong to them. */
async function makeLivePage({ hosts, credentials, environment }: Omit<ReferenceOptions, 'port'>) {
  const { paths, ...rest }: Document = JSON.parse(
    withServers(await readFile(new URL('openapi.json', apiFolder), 'utf8'), hosts),
  );
  // Swagger UI does not fill the parameters of a path with a fragment. The page removes what replaces the `#`.
  const renamed = Object.entries(paths).map(([path, item]) => [path.replace('#', ';'), item] as const);
  const document: Document = { ...rest, paths: Object.fromEntries(renamed) };
  if (credentials.partnerKey === undefined) return { hosts, document, credentials };
  try {
    const collection: Collection = JSON.parse(await readFile(collectionFile, 'utf8'));
    const values = Object.fromEntries(environment.values.map(({ key, value }) => [key, value]));
    const { examples, userToken, bearer } = await makeLiveExamples(collection, values);
    return { hosts, document: withExamples(document, examples), credentials: { ...credentials, userToken, bearer } };
  } catch (error) {
    return { hosts, document, credentials, problem: `There are no live examples: ${(error as Error).message}` };
  }
}

function withExamples(document: Document, examples: LiveExamples['examples']): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const methods = Object.entries(item).map(([method, operation]) => {
      const example = examples.get(operation.operationId);
      return [method, example ? withExample(operation, example) : operation];
    });
    return [path, Object.fromEntries(methods)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function withExample(operation: Operation, { parameters, body }: LiveExample): Operation {
  const content = Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => {
    return [type, type.endsWith('/json') ? { ...media, example: body } : withFormExample(media, body)];
  });
  return {
    ...operation,
    // The page would send the credentials of all alternatives.
    security: operation.security.slice(0, 1),
    ...(operation.parameters && {
      parameters: operation.parameters.map((one) =>
        one.name !== undefined && one.name in parameters ? { ...one, example: parameters[one.name] } : one,
      ),
    }),
    ...(operation.requestBody && { requestBody: { ...operation.requestBody, content: Object.fromEntries(content) } }),
  };
}

/** Swagger UI fills a form with the examples of its fields. */
function withFormExample(media: MediaType, body: LiveExample['body'] = {}): MediaType {
  const properties = Object.entries(media.schema.properties ?? {}).map(([name, field]) => [
    name,
    name in body ? { ...field, example: body[name] } : field,
  ]);
  return { ...media, example: body, schema: { ...media.schema, properties: Object.fromEntries(properties) } };
}
