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
 * The gateway's own errors with the specification's identifiers (docs/gaps.md, "Errors"). Types that DEFAULT_4XX and
 * DEFAULT_5XX cover, and types that cannot occur without usage plans and request validators, have no entry: each entry
 * would be one more resource of every host, and one more change that counts towards API Gateway's limit.
 */
const replies: readonly GatewayReply[] = [
  {
    // No method uses IAM, so API Gateway reports a missing token or a signature only for an unknown route.
    types: [ResponseType.MISSING_AUTHENTICATION_TOKEN, ResponseType.INVALID_SIGNATURE, ResponseType.RESOURCE_NOT_FOUND],
    status: 404,
    identifier: 'not_found',
    message: 'There is no such endpoint.',
  },
  {
    // Only the rate limits of the web ACL block requests; all its other rules only count.
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
 * Gives all of the gateway's own replies the platform's error shape, so a client needs one parser. Pages of other
 * origins may read these replies on every route: API Gateway has only one reply for all routes of a host, and each host
 * has a route that such pages call.
 */
export function addGatewayResponses(api: RestApi): void {
  for (const reply of replies) {
    for (const type of reply.types) {
      api.addGatewayResponse(type.responseType, {
        type,
        ...(reply.status && { statusCode: String(reply.status) }),
        responseHeaders: headers(reply),
        templates: { 'application/json': body(reply) },
      });
    }
  }
}

function headers({ retryAfterSeconds }: GatewayReply): Record<string, string> {
  const literals = {
    ...crossOriginHeaders,
    ...(retryAfterSeconds && { 'Retry-After': String(retryAfterSeconds) }),
  };
  // API Gateway requires single quotes around a literal.
  const quoted = Object.entries(literals).map(([name, value]) => [name, `'${value}'`]);
  return { 'x-request-id': 'context.requestId', ...Object.fromEntries(quoted) };
}

function body({ identifier, message }: GatewayReply): string {
  return JSON.stringify({ error: identifier, message, request_id: '$context.requestId' });
}
