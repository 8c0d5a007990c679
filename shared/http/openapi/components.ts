import type { AnyContract } from '../../contracts/contract.ts';
import type { JsonObject } from './json.ts';
import type { Definitions } from './json-schema.ts';
import { securitySchemesOf } from './security.ts';

const text = { type: 'string' };

const headers = {
  'x-request-id': { description: 'The id of the request, on every reply.', required: true, schema: text },
  'Idempotent-Replayed': {
    description: '`true` when this is the reply to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'WWW-Authenticate': { description: 'How to authenticate (RFC 6749, RFC 6750).', schema: text },
};

const parameters = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the request: it works once within 24 hours, and its reply is repeated to every request with the same key and body.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
};

const Fault = {
  type: 'object',
  description: 'One fault of a request.',
  properties: {
    pointer: { type: 'string', description: 'Where (JSON Pointer).' },
    code: { type: 'string', description: 'What, for programs.' },
    message: { type: 'string', description: 'What, for people.' },
  },
  required: ['pointer', 'code', 'message'],
};

/** What the operations of a host refer to. */
export function componentsOf(contracts: readonly AnyContract[], definitions: Definitions): JsonObject {
  return { schemas: { Fault, ...definitions }, headers, parameters, securitySchemes: securitySchemesOf(contracts) };
}
