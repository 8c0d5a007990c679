import { type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { expectAsDocumented } from './documented.ts';

/** A request in a form that `fetch` would change. */
export interface RawRequest {
  readonly method?: string;
  /** The path for the request line, unchanged. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An array is sent in chunks without Content-Length. */
  readonly body?: string | Buffer | readonly string[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request unchanged and checks the reply against the host's OpenAPI document. */
export async function sendRaw(host: string, request: RawRequest): Promise<RawAnswer> {
  const answer = await exchanged(host, request);
  const isJson = answer.headers['content-type']?.startsWith('application/json') ?? false;
  const body = isJson && answer.text ? JSON.parse(answer.text) : answer.text;
  expectAsDocumented(request.method ?? 'GET', `${host}${request.path}`, { ...answer, body });
  return answer;
}

function exchanged(host: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { protocol, hostname, port } = new URL(host);
  const open = protocol === 'https:' ? secureRequest : request;
  return new Promise((resolve, reject) => {
    // Node omits Content-Length for a GET with a body. Without it, the host would parse the body as the next request.
    const length =
      typeof body === 'string' || Buffer.isBuffer(body) ? { 'content-length': Buffer.byteLength(body) } : {};
    const all = { ...headers, ...length };
    const outgoing = open({ hostname, port, method, path, headers: all, agent: false }, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: await text(response) });
    });
    outgoing.on('error', reject);
    if (Array.isArray(body)) for (const part of body) outgoing.write(part);
    outgoing.end(Array.isArray(body) ? undefined : body);
  });
}
