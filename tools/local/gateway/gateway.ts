import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { Account } from '../account.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { close, listen, toUrl } from '../ports.ts';
import {
  buildGatewayReply,
  buildMockReply,
  buildOversizeReply,
  type GatewayError,
  type Reply,
  readFunctionReply,
} from './reply.ts';
import { buildRequestEvent, type ReceivedRequest, readRequest } from './request-event.ts';
import type { Integration, RestApi } from './rest-api.ts';
import { findRoute, type Match } from './routing.ts';

const requestLimitBytes = 10 * 1024 * 1024;
const defaultIntegrationLimitMs = 29_000;
/**
 * API Gateway's limit for the request line, and its limit for all header lines together. Above them, AWS ends the request
 * before it has found the API, so no gateway response of the template replaces the reply.
 */
const lineLimitBytes = 10_240;
const headersLimitBytes = 10_240;
/** Above this size of headers, Node itself replies 431. Up to it, the gateway replies as API Gateway does. */
const readableHeaderBytes = 256 * 1024;

/** One API that is being served. */
export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly account: Account;
  /**
   * Returns the functions. They start after the gateways, because their environment contains the gateways' addresses.
   */
  readonly lambda: () => Lambda;
  /** The time of the requests, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly port?: number;
  /** Replaces the template's limit, so tests do not have to wait 29 seconds. */
  readonly integrationLimitMs?: number | undefined;
}

/** Serves one API on its own port. The base URL contains no stage. */
export async function startGateway(api: RestApi, options: GatewayOptions): Promise<Gateway> {
  const handler = new RequestHandler(api, options);
  const server = createServer({ maxHeaderSize: readableHeaderBytes }, (request, response) => {
    // Rejects only when the client disconnects during its request.
    handler.handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, options.port);
  return { url: toUrl(port), stop: () => close(server) };
}

class RequestHandler {
  readonly #api: RestApi;
  readonly #options: GatewayOptions;

  constructor(api: RestApi, options: GatewayOptions) {
    this.#api = api;
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = readRequest(request, this.#api, this.#options);
    const result = await this.#process(request, received);
    const reply = typeof result === 'string' ? buildGatewayReply(result, this.#api.responses, received) : result;
    const { requestId, extendedRequestId } = received.context;
    const headers: OutgoingHttpHeaders = {
      'x-amzn-RequestId': requestId,
      'x-amz-apigw-id': extendedRequestId,
      ...(!hasHeader(reply.headers, 'content-type') && { 'Content-Type': 'application/json' }),
      ...reply.headers,
      'Content-Length': Buffer.byteLength(reply.body),
    };
    response.writeHead(reply.status, headers).end(reply.body);
  }

  /** Returns the reply of the integration, or the error that the gateway reports itself. */
  async #process(request: IncomingMessage, received: ReceivedRequest): Promise<Reply | GatewayError> {
    const body = await readBody(request);
    const { method, url, httpVersion } = request;
    if (Buffer.byteLength(`${method} ${url} HTTP/${httpVersion}`) > lineLimitBytes) return buildOversizeReply('line');
    if (sizeOfHeaders(request) > headersLimitBytes) return buildOversizeReply('header');
    if (body === undefined) return 'REQUEST_TOO_LARGE';
    const match = findRoute(this.#api.routes, received.method, received.path);
    if (match === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
    const { integration } = match.route;
    return integration.Type === 'MOCK' ? buildMockReply(integration, received) : this.#invoke(match, received, body);
  }

  async #invoke(match: Match, received: ReceivedRequest, body: Buffer): Promise<Reply | GatewayError> {
    const { integration } = match.route;
    const limitMs = this.#options.integrationLimitMs ?? integration.TimeoutInMillis ?? defaultIntegrationLimitMs;
    const event = buildRequestEvent(received, match, { api: this.#api, body });
    const result = await waitFor(this.#options.lambda().invoke(readFunctionArn(integration), event), limitMs);
    if (result === undefined) return 'INTEGRATION_TIMEOUT';
    if (result.payload === undefined) return 'INTEGRATION_FAILURE';
    const accept = received.headers.find(([name]) => name.toLowerCase() === 'accept')?.[1];
    return readFunctionReply(result.payload, this.#api, accept) ?? 'INTEGRATION_FAILURE';
  }
}

/** Returns the body, or undefined when it is larger than API Gateway accepts. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= requestLimitBytes) chunks.push(chunk);
  }
  return size <= requestLimitBytes ? Buffer.concat(chunks) : undefined;
}

/** The size of all header lines: names, values, white space and line ends. */
function sizeOfHeaders({ rawHeaders }: IncomingMessage): number {
  // A name is followed by a colon and a space, and a value by the two characters of a line end.
  return rawHeaders.reduce((sum, text) => sum + Buffer.byteLength(text, 'latin1') + 2, 0);
}

function hasHeader(headers: OutgoingHttpHeaders, wanted: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === wanted);
}

/** Reads `arn:…:lambda:path/2015-03-31/functions/<ARN>/invocations`. */
function readFunctionArn({ Uri = '' }: Integration): string {
  const arn = /functions\/(.+)\/invocations$/.exec(Uri)?.[1];
  if (!arn) throw new Error(`an integration names no function: ${Uri}`);
  return arn;
}

/** Returns undefined when the work takes longer than the limit. */
async function waitFor<Value>(work: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
