import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AnyContract } from '../contracts/contract.ts';
import { maximumBytes } from '../contracts/limits.ts';
import { logger, metrics } from '../runtime/log.ts';
import type { EndpointContext, Exchange, Step } from './exchange.ts';
import { callerDeps, identifyCaller } from './identify-caller.ts';
import { RequestRefusedError } from './refusal.ts';
import { errorReply, type Reply, refusalOf } from './reply.ts';
import { parsePart, parseQuery } from './validation.ts';

/** The steps of an endpoint, each doing one thing. endpoint.ts puts them in order. */

/** Opens the exchange: what every other step reads. */
export function opened(): Step {
  return {
    before: (request) => {
      const { event } = request;
      const body = event.body ?? '';
      const opened: Partial<Exchange> = {
        gate: callerDeps(),
        requestId: requestIdOf(event),
        startedAtMs: performance.now(),
        headers: event.headers,
        path: event.path,
        baseUrl: baseUrlOf(event),
        rawBody: event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
      };
      request.context.exchange = opened as Exchange;
    },
  };
}

/** Turns whatever is thrown into the contract's error reply. */
export function refused(contract: AnyContract): Step {
  return {
    onError: (request) => {
      if (refusalOf(contract, request.error) === undefined) {
        logger().error('request failed', { requestId: requestIdOf(request.event), error: request.error as Error });
      }
      request.response = errorReply(contract, request.error, requestIdOf(request.event));
    },
  };
}

/** What stands before the path in the caller's URL: a stage's name, a custom domain's base path, or nothing. */
function baseUrlOf({ headers, path, requestContext }: APIGatewayProxyEvent): string {
  const outside = requestContext.path ?? path;
  const prefix = outside.endsWith(path) ? outside.slice(0, -path.length) : '';
  return `${headers['x-forwarded-proto'] ?? 'https'}://${headers.host ?? requestContext.domainName}${prefix}`;
}

function requestIdOf(event: APIGatewayProxyEvent): string {
  return event.requestContext.requestId;
}

/** One log line and the metrics of each request, whatever became of it. */
export function observed(contract: AnyContract) {
  return (request: Request): void => {
    const { exchange } = request.context as Partial<EndpointContext>;
    const { statusCode } = request.response as Reply;
    const durationMs = exchange ? Math.round(performance.now() - exchange.startedAtMs) : 0;
    logger().info('request', {
      requestId: exchange?.requestId,
      endpoint: `${contract.method} ${contract.host}${contract.path}`,
      organisationId: exchange?.caller?.organisationId,
      status: statusCode,
      durationMs,
    });
    metrics().addDimension('endpoint', `${contract.host}/${contract.name}`);
    metrics().addMetric('durationMs', 'Milliseconds', durationMs);
    metrics().addMetric(statusCode >= 500 ? 'failures' : statusCode >= 400 ? 'refusals' : 'successes', 'Count', 1);
    metrics().publishStoredMetrics();
  };
}

/** Finds out who calls, and whether that caller may. */
export function authenticated(contract: AnyContract): Step {
  return {
    before: async (request) => {
      const { exchange } = request.context;
      const path = request.event.pathParameters ?? {};
      exchange.caller = await identifyCaller(contract, { headers: exchange.headers, path }, exchange.gate);
    },
  };
}

/** Refuses a body that is too large before it is parsed. */
export function limited(): Step {
  return {
    before: (request) => {
      if (Buffer.byteLength(request.context.exchange.rawBody) <= maximumBytes.requestBody) return;
      throw new RequestRefusedError(413, 'request_too_large', 'The body is larger than 256 KB');
    },
  };
}

/** Parses path, query and body by the contract's schemas. */
export function validated(contract: AnyContract): Step {
  return {
    before: (request) => {
      const { exchange } = request.context;
      const { event } = request;
      if (contract.params) exchange.params = contract.params.parse(event.pathParameters ?? {});
      exchange.query = parseQuery(contract, event);
      if (contract.body) exchange.body = parsePart(contract, contract.body, event.body);
    },
  };
}
