import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Account } from '../account.ts';
import { isBinary, type RestApi } from './rest-api.ts';
import type { Match } from './routing.ts';

/** A request before API Gateway has found its route. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly context: RequestContext;
}

type RequestContext = Readonly<Record<string, unknown>> & {
  readonly requestId: string;
  readonly extendedRequestId: string;
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time in Common Log Format: 21/Nov/2026:08:05:09 +0000. */
function toRequestTime(epochMs: number): string {
  const date = new Date(epochMs);
  const [, time] = date.toISOString().split('T');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${day}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}:${time?.slice(0, 8)} +0000`;
}

function toPairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2] ?? '', raw[index * 2 + 1] ?? '']);
}

function findHeader(headers: readonly (readonly [string, string])[], wanted: string): string | undefined {
  return headers.findLast(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Adds the headers that AWS's edge adds to a request. */
function addForwardingHeaders(request: IncomingMessage, sourceIp: string, nowMs: number): [string, string][] {
  const headers = toPairs(request.rawHeaders).filter(([name]) => name.toLowerCase() !== 'connection');
  const forwarded = findHeader(headers, 'x-forwarded-for');
  const others = headers.filter(([name]) => !/^x-forwarded-(for|port|proto)$/i.test(name));
  const traceId = `Root=1-${Math.floor(nowMs / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const traceHeader: [string, string][] = [['X-Amzn-Trace-Id', traceId]];
  return [
    ...others,
    ...(findHeader(headers, 'x-amzn-trace-id') ? [] : traceHeader),
    ['X-Forwarded-For', forwarded ? `${forwarded}, ${sourceIp}` : sourceIp],
    ['X-Forwarded-Port', String(request.socket.localPort)],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function buildIdentity(sourceIp: string, userAgent: string | undefined): object {
  return {
    accessKey: null,
    accountId: null,
    caller: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp,
    user: null,
    userAgent: userAgent ?? null,
    userArn: null,
  };
}

/** Reads a request without its body. */
export function readRequest(
  request: IncomingMessage,
  api: RestApi,
  { account, now }: { readonly account: Account; readonly now: () => number },
): ReceivedRequest {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const nowMs = now();
  const sourceIp = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const headers = addForwardingHeaders(request, sourceIp, nowMs);
  const domainName = (request.headers.host ?? 'localhost').replace(/:\d+$/, '');
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    headers,
    context: {
      accountId: account.id,
      apiId: api.id,
      domainName,
      domainPrefix: domainName.split('.')[0],
      extendedRequestId: `${randomBytes(11).toString('base64url')}=`,
      httpMethod: request.method,
      identity: buildIdentity(sourceIp, request.headers['user-agent']),
      // As with a custom domain name, the path contains no stage.
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTime: toRequestTime(nowMs),
      requestTimeEpoch: nowMs,
      stage: api.stage,
    },
  };
}

type Pairs = Iterable<readonly [string, string]>;

/** Returns the last value of each name, or null when there are no entries. */
function toLastValues(entries: Pairs): Record<string, string> | null {
  const values = Object.fromEntries(entries);
  return Object.keys(values).length > 0 ? values : null;
}

function toAllValues(entries: Pairs): Record<string, string[]> | null {
  // Uses a map, because a name may be `constructor` or another property that every object has.
  const values = new Map<string, string[]>();
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value]);
  return values.size > 0 ? Object.fromEntries(values) : null;
}

interface EventInput {
  readonly api: RestApi;
  readonly body: Buffer;
}

/** Builds the function's event for a request: payload format 1.0. */
export function buildRequestEvent(received: ReceivedRequest, match: Match, { api, body }: EventInput): object {
  const isBase64 = isBinary(findHeader(received.headers, 'content-type'), api);
  const { resourceId, resourcePath } = match.route;
  return {
    resource: resourcePath,
    path: received.path,
    httpMethod: received.method,
    headers: toLastValues(received.headers),
    multiValueHeaders: toAllValues(received.headers),
    queryStringParameters: toLastValues(received.query),
    multiValueQueryStringParameters: toAllValues(received.query),
    pathParameters: match.pathParameters,
    stageVariables: api.stageVariables,
    requestContext: { ...received.context, resourceId, resourcePath },
    body: body.length === 0 ? null : body.toString(isBase64 ? 'base64' : 'utf8'),
    isBase64Encoded: isBase64 && body.length > 0,
  };
}
