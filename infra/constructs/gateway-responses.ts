import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { crossOriginHeaders } from '../../shared/contracts/contract.ts';

/** A reply that API Gateway sends without a call to a Lambda. */
interface GatewayReply {
  readonly types: readonly ResponseType[];
  readonly status?: number;
  readonly identifier: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/**
 * The gateway's own errors with the specification's identifiers (docs/gaps.md, "Errors"). The list is short, because
 * each entry becomes a CloudFormation resource for every host, and API Gateway limits how fast these can be changed.
 * DEFAULT_4XX and DEFAULT_5XX cover all other types.
 */
const replies: readonly GatewayReply[] = [
  {
    // API Gateway answers an unknown route as if a token or signature were missing. A known route never gets these
    // answers, because no method uses IAM.
    types: [ResponseType.MISSING_AUTHENTICATION_TOKEN, ResponseType.INVALID_SIGNATURE, ResponseType.RESOURCE_NOT_FOUND],
    status: 404,
    identifier: 'not_found',
    message: 'There is no such endpoint.',
  },
  {
    // The web ACL blocks a request only for its rate. Its other rules count requests and block none.
    types: [ResponseType.THROTTLED, ResponseType.WAF_FILTERED],
    status: 429,
    identifier: 'rate_limit_exceeded',
    message: 'Too many requests. Try again later.',
    retryAfterSeconds: 5,
  },
  {
    types: [ResponseType.REQUEST_TOO_LARGE],
    status: 413,
    identifier: 'request_too_large',
    message: 'The request is too large.',
  },
  { types: [ResponseType.DEFAULT_4XX], identifier: 'invalid_request', message: 'The request is not valid.' },
  {
    types: [ResponseType.DEFAULT_5XX],
    status: 500,
    identifier: 'unexpected_error',
    message: 'Something went wrong on our side.',
  },
];

/**
 * Gives all of the gateway's own replies the platform's error shape, so a client needs one parser. If pages of other
 * origins may call a route of the host, they may read all of these replies, because API Gateway sends the same reply for
 * every route.
 */
export function addGatewayResponses(api: RestApi, { isForBrowsers }: { readonly isForBrowsers: boolean }): void {
  for (const reply of replies) {
    for (const type of reply.types) {
      api.addGatewayResponse(type.responseType, {
        type,
        ...(reply.status && { statusCode: String(reply.status) }),
        responseHeaders: headers(reply, isForBrowsers),
        templates: { 'application/json': body(reply) },
      });
    }
  }
}

function headers({ retryAfterSeconds }: GatewayReply, isForBrowsers: boolean): Record<string, string> {
  const literals = {
    ...(isForBrowsers && crossOriginHeaders),
    ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
  };
  // API Gateway requires single quotes around a literal.
  const quoted = Object.entries(literals).map(([name, value]) => [name, `'${value}'`]);
  return { 'x-request-id': 'context.requestId', ...Object.fromEntries(quoted) };
}

function body({ identifier, message }: GatewayReply): string {
  return JSON.stringify({ error: identifier, message, request_id: '$context.requestId' });
}
