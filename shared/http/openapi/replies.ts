import {
  type AnyContract,
  isIdempotent,
  managementHost,
  managementRefusals,
  needsCredential,
  type Refusal,
} from '../../contracts/contract.ts';
import { maximumCount } from '../../contracts/limits.ts';
import { messagePage } from '../connect-page.ts';
import { invalidKeyFault } from '../idempotency-key.ts';
import { type Fault, withEnvelope } from '../reply.ts';
import { ignoredFieldsHeader } from '../unknown-fields.ts';
import { describeErrors, exampleMessage, exampleRequestId } from './error-examples.ts';
import { component, type Definitions, type JsonObject, jsonSchemaOf } from './json-schema.ts';

/** The replies of an endpoint by their status. */
export function repliesOf(contract: AnyContract, definitions: Definitions): JsonObject {
  // A refusal sends the browser to the dashboard, which shows the problem. API Gateway's own replies are JSON.
  const isShown = (refusal: DocumentedRefusal) => contract.envelope !== 'redirect' || refusal.byGateway;
  const byStatus = Map.groupBy(refusalsOf(contract).filter(isShown), ({ status }) => status);
  return {
    ...successes(contract, definitions),
    ...Object.fromEntries([...byStatus].map(([status, refusals]) => [status, refusal(contract, refusals)])),
  };
}

function successes(contract: AnyContract, definitions: Definitions): JsonObject {
  const headers = headersOf(contract, []);
  if (contract.envelope === 'page') {
    const content = { 'text/html': { schema: { type: 'string' } } };
    return {
      200: { description: 'A page.', headers, content },
      ...(contract.method === 'POST' && {
        303: { description: "Redirect to the merchant's page.", headers: { ...headers, ...locationHeader }, content },
      }),
    };
  }
  if (contract.envelope === 'redirect') {
    return { 302: { description: 'Redirect.', headers: { ...headers, ...locationHeader } } };
  }
  const example = contract.example && { example: withEnvelope(contract, contract.example.reply) };
  const schema = envelopeSchema(contract, jsonSchemaOf(contract.data, { io: 'output', definitions }));
  return { 200: { description: 'Success.', headers, content: { 'application/json': { schema, ...example } } } };
}

const locationHeader = {
  Location: { description: 'The next address.', required: true, schema: { type: 'string' } },
};

const ok = { code: { type: 'string', const: 'ok', description: 'Always `ok`: the request succeeded.' } };

function envelopeSchema({ envelope = 'data' }: AnyContract, data: JsonObject): JsonObject {
  if (envelope === 'bare') return data;
  const properties =
    envelope === 'list'
      ? { ...ok, ...(data.properties as JsonObject) }
      : { ...ok, data: { description: 'The result.', ...data } };
  return { type: 'object', properties, required: Object.keys(properties) };
}

function refusal(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const identifiers = [...new Set(refusals.map(({ identifier }) => identifier))];
  return {
    description: describeErrors(identifiers),
    headers: headersOf(contract, refusals),
    content: errorContent(contract, refusals),
  };
}

function errorContent(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const schemas = errorSchemas(contract, refusals);
  const json = schemas.length > 0 && {
    schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
    examples: examplesOf(contract, refusals),
  };
  return {
    ...(contract.envelope === 'page' && {
      'text/html': { schema: { type: 'string' }, example: pageExample(refusals) },
    }),
    ...(json && { 'application/json': json }),
  };
}

/** An example of the error body for each identifier. */
function examplesOf(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  // A page endpoint replies HTML. Its only JSON replies are those of API Gateway itself.
  const shown = contract.envelope === 'page' ? refusals.filter(({ byGateway }) => byGateway) : refusals;
  return Object.fromEntries(
    shown.map(({ identifier }) => [identifier, { value: errorBodyExample(contract, identifier) }]),
  );
}

function errorBodyExample(contract: AnyContract, identifier: string): JsonObject {
  const fault = identifier === validationIdentifier(contract) ? faultExample(contract) : undefined;
  const text = fault ? `${fault.pointer && `${fault.pointer}: `}${fault.message}` : exampleMessage(identifier);
  if (contract.errorShape === 'oauth') {
    return { error: identifier, error_description: text, request_id: exampleRequestId };
  }
  const faults = fault && { errors: [fault] };
  return { [contract.errorField]: identifier, message: text, request_id: exampleRequestId, ...faults };
}

/** A fault that a request to this endpoint can have. */
function faultExample({ body, query, bodyType }: AnyContract): Fault {
  if (query)
    return {
      pointer: '/limit',
      code: 'invalid_format',
      message: `is not a whole number from 1 to ${maximumCount.pageItems}`,
    };
  if (!body) return invalidKeyFault;
  const { required } = jsonSchemaOf(body, { io: 'input', definitions: {} });
  const [field] = Array.isArray(required) ? required : [];
  if (field !== undefined) return { pointer: `/${field}`, code: 'required', message: 'is required' };
  const type = bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return { pointer: '', code: 'unsupported_media_type', message: `Content-Type must be ${type}` };
}

function pageExample(refusals: readonly DocumentedRefusal[]): string {
  return messagePage('This did not work', exampleMessage(refusals[0]?.identifier ?? ''));
}

function headersOf(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject {
  const isReplayable = isIdempotent(contract) && !refusals.some(({ status }) => status >= 413);
  const names = new Set([
    'x-request-id',
    ...(isReplayable ? ['Idempotent-Replayed'] : []),
    ...(contract.body ? [ignoredFieldsHeader] : []),
    ...refusals.flatMap(({ headers = [] }) => headers),
  ]);
  return Object.fromEntries([...names].map((name) => [name, component('headers', name)]));
}

const text = { type: 'string' };
const requestId = { ...text, description: 'Include it when you ask for help with a reply.' };
const message = { ...text, description: 'The error, for people. The text may change.' };

const lastChange = {
  type: 'object',
  description: 'The change that came before.',
  properties: {
    revision: { type: 'integer', description: 'The revision after the change.' },
    by: { type: ['string', 'null'], description: 'Who made the change.' },
    at: { type: ['string', 'null'], description: 'When. ISO 8601.' },
  },
  required: ['revision', 'by', 'at'],
};

/** The error bodies of one status: the endpoint's own body, and API Gateway's body if it has another form. */
function errorSchemas(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject[] {
  const gateway = refusals.filter(({ byGateway }) => byGateway);
  // A page endpoint replies HTML, but the gateway's errors are JSON.
  if (contract.envelope === 'page') return gateway.length > 0 ? [platformError('error', gateway)] : [];
  if (contract.errorShape === 'oauth') {
    return [oauthError(refusals), ...(gateway.length > 0 ? [platformError('error', gateway)] : [])];
  }
  const own = platformError(contract.errorField, refusals);
  return contract.errorField === 'error' || gateway.length === 0 ? [own] : [own, platformError('error', gateway)];
}

function identifiersOf(refusals: readonly DocumentedRefusal[]): JsonObject {
  const identifiers = new Set(refusals.map(({ identifier }) => identifier));
  return { type: 'string', enum: [...identifiers], description: 'The identifier of the error, for programs.' };
}

function platformError(field: 'error' | 'code', refusals: readonly DocumentedRefusal[]): JsonObject {
  const change = refusals.some(({ identifier }) => identifier === managementRefusals.changedMeanwhile.identifier) && {
    change: lastChange,
  };
  const faults = refusals.some(({ listsFaults }) => listsFaults) && {
    errors: {
      type: 'array',
      minItems: 1,
      items: component('schemas', 'Fault'),
      description: 'Every fault of the request.',
    },
  };
  return {
    type: 'object',
    properties: { [field]: identifiersOf(refusals), message, request_id: requestId, ...faults, ...change },
    required: [field, 'message', 'request_id'],
  };
}

/** RFC 6749, section 5.2. */
function oauthError(refusals: readonly DocumentedRefusal[]): JsonObject {
  return {
    type: 'object',
    properties: { error: identifiersOf(refusals), error_description: message, request_id: requestId },
    required: ['error', 'error_description', 'request_id'],
  };
}

/** A refusal with the headers and fields of its reply. */
interface DocumentedRefusal extends Refusal {
  /** `errors[]`: every fault of the request. */
  readonly listsFaults?: boolean;
  readonly headers?: readonly ('Retry-After' | 'WWW-Authenticate')[];
  /** API Gateway's own reply: its identifier is always in `error`. */
  readonly byGateway?: boolean;
}

/** All refusals of an endpoint. */
function refusalsOf(contract: AnyContract): DocumentedRefusal[] {
  return [
    ...ofCredential(contract),
    ...ofManagement(contract),
    ...ofInput(contract),
    ...Object.entries(contract.refusals).map(([identifier, status]) => ({ identifier, status, listsFaults: true })),
    ...ofIdempotency(contract),
    { status: 413, identifier: 'request_too_large', byGateway: true },
    { status: 429, identifier: 'rate_limit_exceeded', headers: ['Retry-After'], byGateway: true },
    { status: 500, identifier: 'unexpected_error', byGateway: true },
    ...ofTable(contract),
  ];
}

function ofCredential(contract: AnyContract): DocumentedRefusal[] {
  if (!needsCredential(contract)) return [];
  const { credential } = contract;
  const isChallenged = credential.kind === 'bearer' || credential.kind === 'client';
  const refusals = [credential.invalid, credential.expired, credential.forbidden];
  return refusals.map((refusal) =>
    isChallenged && refusal.status !== 400 ? { ...refusal, headers: ['WWW-Authenticate'] } : refusal,
  );
}

/** The refusals of the host that only the dashboard calls. */
function ofManagement({
  host,
  method,
  credential,
  needsRecentSignIn = false,
  namesRevision = false,
}: AnyContract): Refusal[] {
  if (host !== managementHost) return [];
  const { wrongAddress, forged, reauthentication, unknownOrganisation, revisionMissing, changedMeanwhile } =
    managementRefusals;
  return [
    wrongAddress,
    ...(method === 'GET' ? [] : [forged]),
    ...(needsRecentSignIn ? [reauthentication] : []),
    ...(credential.kind === 'staff' ? [unknownOrganisation] : []),
    ...(namesRevision ? [revisionMissing, changedMeanwhile] : []),
  ];
}

function ofInput(contract: AnyContract): DocumentedRefusal[] {
  if (!contract.body && !contract.query && !isIdempotent(contract)) return [];
  return [{ status: 400, identifier: validationIdentifier(contract), listsFaults: true }];
}

/** Every endpoint with a credential reads the table. */
function ofTable({ credential }: AnyContract): DocumentedRefusal[] {
  if (credential.kind === 'none') return [];
  return [{ status: 503, identifier: 'temporarily_unavailable', headers: ['Retry-After'] }];
}

const validationIdentifier = ({ invalidRequest = 'invalid_request' }: AnyContract) => invalidRequest;

function ofIdempotency(contract: AnyContract): DocumentedRefusal[] {
  if (!isIdempotent(contract)) return [];
  return [
    { status: 409, identifier: 'request_in_progress', headers: ['Retry-After'] },
    { status: 422, identifier: 'idempotency_key_reused' },
  ];
}
