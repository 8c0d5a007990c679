import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Account } from '../account.ts';
import type { RestApi } from './rest-api.ts';
import type { Match } from './routing.ts';

/** A request as API Gateway describes it to itself, before it knows a route. */
export interface Received {
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

/** Common Log Format: 21/Nov/2026:08:05:09 +0000. */
function requestTime(epochMs: number): string {
  const date = new Date(epochMs);
  const [, time] = date.toISOString().split('T');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${day}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}:${time?.slice(0, 8)} +0000`;
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[index * 2] ?? '', raw[index * 2 + 1] ?? '']);
}

function header(headers: readonly (readonly [string, string])[], wanted: string): string | undefined {
  return headers.findLast(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** What the edge adds to a request on its way in. */
function withForwarding(request: IncomingMessage, sourceIp: string): [string, string][] {
  const headers = pairs(request.rawHeaders).filter(([name]) => name.toLowerCase() !== 'connection');
  const forwarded = header(headers, 'x-forwarded-for');
  const others = headers.filter(([name]) => !/^x-forwarded-(for|port|proto)$/i.test(name));
  const trace = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
  return [
    ...others,
    ...(header(headers, 'x-amzn-trace-id') ? [] : [['X-Amzn-Trace-Id', trace] as [string, string]]),
    ['X-Forwarded-For', forwarded ? `${forwarded}, ${sourceIp}` : sourceIp],
    ['X-Forwarded-Port', String(request.socket.localPort)],
    ['X-Forwarded-Proto', 'http'],
  ];
}

function identity(sourceIp: string, userAgent: string | undefined): object {
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

/** Reads what a request says, apart from its body. */
export function receive(request: IncomingMessage, api: RestApi, account: Account): Received {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const sourceIp = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const headers = withForwarding(request, sourceIp);
  const domainName = (request.headers.host ?? 'localhost').replace(/:\d+$/, '');
  const now = Date.now();
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
      identity: identity(sourceIp, request.headers['user-agent']),
      // As behind a custom domain name: the URL has no stage in it.
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId: randomUUID(),
      requestTime: requestTime(now),
      requestTimeEpoch: now,
      stage: api.stage,
    },
  };
}

type Pairs = Iterable<readonly [string, string]>;

/** The last value of each name, or null when there is none. */
function lastValues(entries: Pairs): Record<string, string> | null {
  const values = Object.fromEntries(entries);
  return Object.keys(values).length > 0 ? values : null;
}

function allValues(entries: Pairs): Record<string, string[]> | null {
  // Collected in a map, because a name may be one that every object has, like `constructor`.
  const values = new Map<string, string[]>();
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value]);
  return values.size > 0 ? Object.fromEntries(values) : null;
}

function matchesMediaType(mediaType: string, patterns: readonly string[]): boolean {
  const [type, subtype] = mediaType.split('/');
  return patterns.some((pattern) => {
    const [wantedType, wantedSubtype] = pattern.split('/');
    return (wantedType === '*' || wantedType === type) && (wantedSubtype === '*' || wantedSubtype === subtype);
  });
}

/** Whether a body of this media type travels as base64. */
export function isBinary(mediaType: string | undefined, api: RestApi): boolean {
  const bare = mediaType?.split(';')[0]?.trim().toLowerCase();
  return bare !== undefined && bare !== '' && matchesMediaType(bare, api.binaryMediaTypes);
}

/** The event that a function gets for a request: payload format 1.0. */
export function requestEvent(received: Received, match: Match, api: RestApi, body: Buffer): object {
  const binary = isBinary(header(received.headers, 'content-type'), api);
  const { resourceId, resourcePath } = match.route;
  return {
    resource: resourcePath,
    path: received.path,
    httpMethod: received.method,
    headers: lastValues(received.headers),
    multiValueHeaders: allValues(received.headers),
    queryStringParameters: lastValues(received.query),
    multiValueQueryStringParameters: allValues(received.query),
    pathParameters: match.pathParameters,
    stageVariables: api.stageVariables,
    requestContext: { ...received.context, resourceId, resourcePath },
    body: body.length === 0 ? null : body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && body.length > 0,
  };
}
