import { type AnyContract, type CredentialKind, needsCredential } from '../../contracts/contract.ts';
import { duration, maximumCharacters, validityMs } from '../../contracts/limits.ts';
import { ignoredFieldsHeader } from '../unknown-fields.ts';
import type { Definitions, JsonObject } from './json-schema.ts';

const text = { type: 'string' };

const headers = {
  'x-request-id': { description: 'The id of the request, in every reply.', required: true, schema: text },
  'Idempotent-Replayed': {
    description: '`true` if this is the reply to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
  },
  [ignoredFieldsHeader]: {
    description:
      'The JSON Pointers of the fields of the body that the endpoint does not know and has ignored: sorted, percent-encoded, separated by commas; of a list, the first entry with the field. Ends with `...` if not all fit.',
    schema: { ...text, maxLength: maximumCharacters.ignoredFields + 5 },
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
      'Identifies the request. Within 24 hours it is processed once, and every request with the same key and body receives the same reply.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  },
};

const Fault = {
  type: 'object',
  description: 'One fault of a request.',
  properties: {
    pointer: { type: 'string', description: 'The place in the request (JSON Pointer).' },
    code: { type: 'string', description: 'The kind of fault, for programs.' },
    message: { type: 'string', description: 'The fault, for people.' },
  },
  required: ['pointer', 'code', 'message'],
};

/** The components to which the operations of a host refer. */
export function componentsOf(contracts: readonly AnyContract[], definitions: Definitions): JsonObject {
  return { schemas: { Fault, ...definitions }, headers, parameters, securitySchemes: securitySchemesOf(contracts) };
}

/**
 * The security scheme of each kind of credential. The connect token has none, because OpenAPI has no scheme for a token
 * in the path.
 */
const schemes = {
  partnerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Partner API key: belongs to an organisation and has its permissions.',
  },
  userToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: `User access token from the token endpoint: valid ${duration(validityMs.userAccessToken)}, refreshable.`,
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `Access token of the client_credentials grant: valid ${duration(validityMs.clientToken)}.`,
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'OAuth client id and secret.',
  },
  programSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'Signature of Standard Webhooks, with `webhook-id` and `webhook-timestamp`: see docs/programs/openapi.yaml.',
  },
  paymentSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'x-square-hmacsha256-signature',
    description: 'Signature of Square with the key of its webhook. Adyen signs each item of its body instead.',
  },
  staffSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-rw_session',
    description: `Session of a person: ${duration(validityMs.staffSession)} at most, ${duration(validityMs.idleStaffSession)} without a request.`,
  },
} as const satisfies Partial<Record<CredentialKind, JsonObject>>;
type SchemeName = keyof typeof schemes;

/** The accepted schemes for each kind. An OAuth client may use its partner key instead. */
const schemesByKind: Readonly<Record<CredentialKind, readonly SchemeName[]>> = {
  partnerKey: ['partnerKey'],
  userToken: ['userToken'],
  bearer: ['bearer'],
  client: ['client', 'partnerKey'],
  connectToken: [],
  programSignature: ['programSignature'],
  paymentSignature: ['paymentSignature'],
  staff: ['staffSession'],
  staffSession: ['staffSession'],
  optionalStaffSession: ['staffSession'],
  none: [],
};

/**
 * The `security` of an operation: every accepted scheme, each with the required permission. One of them is enough. The
 * empty one accepts a request without a credential.
 */
export function securityOf(contract: AnyContract): JsonObject[] {
  const { credential, permission } = contract;
  const accepted = schemesByKind[credential.kind].map((name) => ({
    [name]: permission === undefined || name === 'client' ? [] : [permission],
  }));
  return accepted.length > 0 && !needsCredential(contract) ? [...accepted, {}] : accepted;
}

/** The security schemes of a host. */
function securitySchemesOf(contracts: readonly AnyContract[]): JsonObject {
  const used = new Set(contracts.flatMap(({ credential }) => schemesByKind[credential.kind]));
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name as SchemeName)));
}
