import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createBrotliCompress, createGzip } from 'node:zlib';
import { close, listen, toUrl } from '../ports.ts';
import type { Behaviour, Distribution } from './distribution.ts';
import { applyHeadersPolicy } from './headers-policy.ts';
import { matchesPattern } from './path-pattern.ts';
import { type FunctionHeaders, type FunctionResponse, isResponse } from './viewer-function.ts';

/** A distribution that is being served. */
export interface Site {
  readonly url: string;
  stop(): Promise<void>;
}

/** The names by which a person reaches a listener of this machine. */
const ownNames = ['127.0.0.1', 'localhost'];

/** Headers that belong to one connection. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Media types that CloudFront compresses. */
const compressible = /^(?:text\/|application\/(?:javascript|json|manifest\+json|xml)|image\/svg\+xml|font\/otf)/;

/** CloudFront compresses nothing that is smaller. */
const smallestCompressed = 1_000;

/** Starts a server without a distribution. It answers 503 until `serve` names one, so its address is known before. */
export async function startSite(port = 0): Promise<Site & { serve(distribution: Distribution): void }> {
  let served: Distribution | undefined;
  const server = createServer((received, response) => {
    const answering = served ? answer(received, response, served) : Promise.resolve(refuse(response, 503));
    // Rejects only when the viewer or the origin disconnects in the middle.
    answering.catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const url = toUrl(await listen(server, port));
  return {
    url,
    serve: (distribution) => {
      served = distribution;
    },
    stop: () => close(server),
  };
}

async function answer(received: IncomingMessage, response: ServerResponse, distribution: Distribution): Promise<void> {
  // A page on the internet can make its own domain name lead to this machine. CloudFront too answers by its names only.
  const name = String(received.headers.host).replace(/:\d+$/, '');
  if (!ownNames.includes(name)) return refuse(response, 403);
  const [path = '/', ...query] = (received.url ?? '/').split('?');
  const behaviour = distribution.behaviours.find(({ pattern }) => matchesPattern(path, pattern));
  if (!behaviour?.methods.includes(received.method ?? '')) return refuse(response, 403);

  const viewerIp = (received.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const passed = passFunction(received, path, { behaviour, viewerIp });
  if (isResponse(passed)) return sendFunctionReply(response, passed);
  const uri = passed.uri === '/' && distribution.rootObject ? `/${distribution.rootObject}` : passed.uri;
  const target = query.length > 0 && behaviour.forwardsAll ? `${uri}?${query.join('?')}` : uri;
  await forward(received, response, {
    behaviour,
    target,
    headers: originHeaders(passed.headers, received, behaviour, viewerIp),
  });
}

interface Passing {
  readonly behaviour: Behaviour;
  readonly viewerIp: string;
}

/** Runs the behaviour's function. Without one, the request passes as it is. */
function passFunction(received: IncomingMessage, uri: string, { behaviour, viewerIp }: Passing) {
  const entries = Object.entries(received.headers).filter(([name]) => name !== 'cookie');
  const headers: FunctionHeaders = Object.fromEntries(entries.map(([name, value]) => [name, { value: String(value) }]));
  const asked = { method: received.method ?? 'GET', uri, querystring: {}, headers, cookies: {} };
  return behaviour.viewerFunction?.(asked, viewerIp) ?? asked;
}

/** The headers of the request to the origin. */
function originHeaders(
  passed: FunctionHeaders,
  { headers: { cookie, host: _ } }: IncomingMessage,
  { forwardsAll, origin }: Behaviour,
  viewerIp: string,
): OutgoingHttpHeaders {
  if (origin.kind === 'bucket') return pick(passed, ['if-none-match', 'if-modified-since', 'range']);
  const forwarded = forwardsAll ? passed : {};
  const kept = Object.entries(forwarded).filter(([name]) => name !== 'host' && !connectionHeaders.has(name));
  const addresses = [forwarded['x-forwarded-for']?.value, viewerIp].filter(Boolean).join(', ');
  return {
    ...Object.fromEntries(kept.map(([name, { value }]) => [name, value])),
    ...(forwardsAll && cookie !== undefined && { cookie }),
    'x-forwarded-for': addresses,
    via: '1.1 local (CloudFront)',
    ...origin.headers,
  };
}

function pick(headers: FunctionHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, headers[name].value]] : [])));
}

interface Forwarding {
  readonly behaviour: Behaviour;
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Sends a request to the origin, and its reply to the viewer. */
async function forward(
  received: IncomingMessage,
  response: ServerResponse,
  { behaviour, target, headers }: Forwarding,
): Promise<void> {
  const sent = request(`${behaviour.origin.url}${target}`, { method: received.method ?? 'GET', headers });
  const replied = new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  const [reply] = await Promise.all([replied, pipeline(received, sent)]).catch(() => []);
  if (!reply) return refuse(response, 502);

  const kept = Object.entries(reply.headers).filter(([name]) => !connectionHeaders.has(name));
  const replyHeaders = applyHeadersPolicy(Object.fromEntries(kept), behaviour.headersPolicy);
  const encoding = chooseEncoding(received, reply, behaviour);
  if (encoding === undefined) {
    response.writeHead(reply.statusCode ?? 502, replyHeaders as OutgoingHttpHeaders);
    return pipeline(reply, response);
  }
  const { 'content-length': _, etag, ...rest } = replyHeaders;
  const weak = etag === undefined ? {} : { etag: `W/${etag}` };
  response.writeHead(200, {
    ...(rest as OutgoingHttpHeaders),
    ...weak,
    'content-encoding': encoding,
    vary: 'Accept-Encoding',
  });
  await pipeline(reply, encoding === 'br' ? createBrotliCompress() : createGzip(), response);
}

function chooseEncoding(
  { method, headers }: IncomingMessage,
  { statusCode, headers: replied }: IncomingMessage,
  { isCompressed }: Behaviour,
): 'br' | 'gzip' | undefined {
  const isLarge = Number(replied['content-length'] ?? 0) >= smallestCompressed;
  const isText = compressible.test(replied['content-type'] ?? '') && replied['content-encoding'] === undefined;
  if (!isCompressed || method !== 'GET' || statusCode !== 200 || !isLarge || !isText) return undefined;
  const accepted = String(headers['accept-encoding'] ?? '');
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
}

function sendFunctionReply(response: ServerResponse, { statusCode, headers = {}, body = '' }: FunctionResponse): void {
  const sent = Object.entries(headers).map(([name, { value }]): [string, string] => [name, value]);
  response.writeHead(statusCode, Object.fromEntries(sent)).end(typeof body === 'string' ? body : body.data);
}

/** Answers in CloudFront's place. */
function refuse(response: ServerResponse, status: number): void {
  response
    .writeHead(status, { 'content-type': 'text/plain', 'x-cache': 'Error from cloudfront' })
    .end(`CloudFront: ${status}\n`);
}
