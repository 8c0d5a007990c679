import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { Account } from '../account.ts';
import type { Lambda } from '../lambda/lambda.ts';
import { close, listen, url } from '../ports.ts';
import { type FunctionReply, functionReply } from './function-reply.ts';
import { type GatewayError, gatewayReply, parameterValue, substitute } from './gateway-response.ts';
import { type Received, receive, requestEvent } from './request-event.ts';
import type { Integration, RestApi } from './rest-api.ts';
import { findRoute, type Match } from './routing.ts';

const requestLimitBytes = 10 * 1024 * 1024;
const integrationLimitMs = 29_000;
/** Beyond it Node itself answers 431, without a body and an id; no caller comes near it. */
const headerLimitBytes = 256 * 1024;

/** One API, listening. */
export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly account: Account;
  readonly lambda: Lambda;
  readonly port?: number;
  /** Shorter in tests, which do not wait half a minute. */
  readonly integrationLimitMs?: number | undefined;
}

/** The body, or undefined when it is larger than API Gateway takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= requestLimitBytes) chunks.push(chunk);
  }
  return size <= requestLimitBytes ? Buffer.concat(chunks) : undefined;
}

/** A reply, or the error that the gateway reports by itself. */
type Answer = FunctionReply | GatewayError;

class ApiServer {
  readonly #api: RestApi;
  readonly #options: GatewayOptions;

  constructor(api: RestApi, options: GatewayOptions) {
    this.#api = api;
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = receive(request, this.#api, this.#options.account);
    const answer = await this.#answer(request, received);
    const reply = typeof answer === 'string' ? this.#gatewayReply(answer, received) : answer;
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

  #gatewayReply(error: GatewayError, { context, headers }: Received): FunctionReply {
    const reply = gatewayReply(error, this.#api.responses, context, Object.fromEntries(headers));
    return { ...reply, body: Buffer.from(reply.body) };
  }

  async #answer(request: IncomingMessage, received: Received): Promise<Answer> {
    const body = await readBody(request);
    if (body === undefined) return 'REQUEST_TOO_LARGE';
    const match = findRoute(this.#api.routes, received.method, received.path);
    if (match === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
    const { integration } = match.route;
    return integration.Type === 'MOCK' ? mockReply(integration, received) : this.#invoke(match, received, body);
  }

  async #invoke(match: Match, received: Received, body: Buffer): Promise<Answer> {
    const { integration } = match.route;
    const limitMs = this.#options.integrationLimitMs ?? integration.TimeoutInMillis ?? integrationLimitMs;
    const invoked = this.#options.lambda.invoke(
      functionArn(integration),
      requestEvent(received, match, this.#api, body),
    );
    const result = await within(invoked, limitMs);
    if (result === undefined) return 'INTEGRATION_TIMEOUT';
    if (result.payload === undefined) return 'INTEGRATION_FAILURE';
    const accept = received.headers.find(([name]) => name.toLowerCase() === 'accept')?.[1];
    return functionReply(result.payload, this.#api, accept) ?? 'INTEGRATION_FAILURE';
  }
}

function hasHeader(headers: OutgoingHttpHeaders, wanted: string): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === wanted);
}

/** `arn:…:lambda:path/2015-03-31/functions/<ARN>/invocations` */
function functionArn({ Uri = '' }: Integration): string {
  const arn = /functions\/(.+)\/invocations$/.exec(Uri)?.[1];
  if (!arn) throw new Error(`an integration names no function: ${Uri}`);
  return arn;
}

async function within<Value>(work: Promise<Value>, limitMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The reply that a mock integration describes: its request template says the status, the response of that status the body. */
function mockReply({ RequestTemplates, IntegrationResponses = [] }: Integration, { context }: Received): FunctionReply {
  const { statusCode } = JSON.parse(RequestTemplates?.['application/json'] ?? '{"statusCode":200}') as {
    statusCode: number;
  };
  const response = IntegrationResponses.find(({ StatusCode }) => Number(StatusCode) === statusCode);
  const template = response?.ResponseTemplates?.['application/json'] ?? '';
  const headers = Object.entries(response?.ResponseParameters ?? {}).map(([name, expression]) => [
    name.replace('method.response.header.', ''),
    parameterValue(expression, context),
  ]);
  return {
    status: statusCode,
    headers: Object.fromEntries(headers),
    body: Buffer.from(substitute(template, context)),
  };
}

/** Serves one API on a port of its own; its base URL has no stage in its path. */
export async function startGateway(api: RestApi, options: GatewayOptions): Promise<Gateway> {
  const apiServer = new ApiServer(api, options);
  const server = createServer({ maxHeaderSize: headerLimitBytes }, (request, response) => {
    // Only a client that went away in the middle of its request ends up here.
    apiServer.handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, options.port);
  return { url: url(port), stop: () => close(server) };
}
