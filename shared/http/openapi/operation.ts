import { type AnyContract, isIdempotent } from '../../contracts/contract.ts';
import { camelCase, type JsonObject } from './json.ts';
import type { Definitions } from './json-schema.ts';
import { repliesOf } from './replies.ts';
import { parametersOf, requestBodyOf } from './request.ts';
import { securityOf } from './security.ts';

/** One endpoint as an OpenAPI operation. */
export function operationOf(contract: AnyContract, all: readonly AnyContract[], definitions: Definitions): JsonObject {
  const parameters = parametersOf(contract);
  const requestBody = requestBodyOf(contract, definitions);
  const description = descriptionOf(contract);
  return {
    operationId: operationIdOf(contract, all),
    summary: contract.summary,
    ...(description && { description }),
    tags: [tagOf(contract)],
    security: securityOf(contract),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: repliesOf(contract, definitions),
  };
}

/** `getUser`; with the host in front where two hosts have an endpoint of that name. */
function operationIdOf({ host, name }: AnyContract, all: readonly AnyContract[]): string {
  const isShared = all.some((other) => other.name === name && other.host !== host);
  return camelCase(isShared ? `${host}-${name}` : name);
}

/** The first word of the path: what the endpoint is about. */
export function tagOf({ path }: AnyContract): string {
  return path.split('/')[1]?.replace('.json', '') ?? '';
}

function descriptionOf(contract: AnyContract): string {
  const { permission, credential } = contract;
  const sentences = [
    permission && `Needs the ${credential.kind === 'bearer' ? 'scope' : 'permission'} \`${permission}\`.`,
    isIdempotent(contract) && 'May be repeated safely with the same `Idempotency-Key`.',
  ];
  return sentences.filter(Boolean).join(' ');
}
