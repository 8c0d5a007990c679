import type { AnyContract } from '../../contracts/contract.ts';
import { descriptionOf } from './glossary.ts';
import { component, type JsonObject } from './json.ts';
import type { DocumentedRefusal } from './refusals.ts';

const text = { type: 'string' };
const requestId = { ...text, description: descriptionOf('request_id') };

/** The error bodies of one status: the endpoint's own, and API Gateway's where it looks another way. */
export function errorSchemas(contract: AnyContract, refusals: readonly DocumentedRefusal[]): JsonObject[] {
  const gateway = refusals.filter(({ byGateway }) => byGateway);
  // A page tells people; what a gateway says beside it is JSON nonetheless.
  if (contract.envelope === 'page') return gateway.length > 0 ? [platformError('error', gateway)] : [];
  if (contract.errorShape === 'oauth') {
    return [oauthError(refusals), ...(gateway.length > 0 ? [platformError('error', gateway)] : [])];
  }
  const own = platformError(contract.errorField, refusals);
  return contract.errorField === 'error' || gateway.length === 0 ? [own] : [own, platformError('error', gateway)];
}

function identifiersOf(refusals: readonly DocumentedRefusal[]): JsonObject {
  return { type: 'string', enum: [...new Set(refusals.map(({ identifier }) => identifier))] };
}

function platformError(field: 'error' | 'code', refusals: readonly DocumentedRefusal[]): JsonObject {
  const faults = refusals.some(({ listsFaults }) => listsFaults) && {
    errors: { type: 'array', minItems: 1, items: component('schemas', 'Fault') },
  };
  return {
    type: 'object',
    properties: { [field]: identifiersOf(refusals), message: text, request_id: requestId, ...faults },
    required: [field, 'message', 'request_id'],
  };
}

/** RFC 6749, section 5.2. */
function oauthError(refusals: readonly DocumentedRefusal[]): JsonObject {
  return {
    type: 'object',
    properties: { error: identifiersOf(refusals), error_description: text, request_id: requestId },
    required: ['error', 'error_description', 'request_id'],
  };
}
