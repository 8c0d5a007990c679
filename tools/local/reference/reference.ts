import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { close, listen, toUrl } from '../ports.ts';
import { collectionFile, type LivePageOptions, makeLivePage, readDocument } from './live-page.ts';
import { page } from './page.ts';

export interface ReferenceOptions extends LivePageOptions {
  readonly port?: number;
}

/** The running reference. */
export interface Reference {
  readonly url: string;
  close(): Promise<void>;
}

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
    '/openapi.json': async () => JSON.stringify(await readDocument(hosts)),
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
