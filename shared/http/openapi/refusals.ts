import { type AnyContract, isIdempotent, type Refusal } from '../../contracts/contract.ts';

/** A refusal with what else its reply may carry. */
export interface DocumentedRefusal extends Refusal {
  /** `errors[]`: every fault of the request. */
  readonly listsFaults?: boolean;
  readonly headers?: readonly ('Retry-After' | 'WWW-Authenticate')[];
  /** API Gateway's own reply: its identifier is in `error` whatever the endpoint calls it. */
  readonly byGateway?: boolean;
}

/** Every refusal that an endpoint may answer with. */
export function refusalsOf(contract: AnyContract): DocumentedRefusal[] {
  return [
    ...ofCredential(contract),
    ...ofInput(contract),
    ...Object.entries(contract.refusals).map(([identifier, status]) => ({ identifier, status, listsFaults: true })),
    ...ofIdempotency(contract),
    { status: 413, identifier: 'request_too_large', byGateway: true },
    { status: 429, identifier: 'rate_limit_exceeded', headers: ['Retry-After'], byGateway: true },
    { status: 500, identifier: 'unexpected_error', byGateway: true },
  ];
}

function ofCredential({ credential }: AnyContract): DocumentedRefusal[] {
  if (credential.kind === 'none') return [];
  const isChallenged = credential.kind === 'bearer' || credential.kind === 'client';
  const refusals = [credential.invalid, credential.expired, credential.forbidden];
  return refusals.map((refusal) => (isChallenged ? { ...refusal, headers: ['WWW-Authenticate'] } : refusal));
}

function ofInput(contract: AnyContract): DocumentedRefusal[] {
  if (!contract.body && !contract.query) return [];
  return [{ status: 400, identifier: contract.invalidRequest ?? 'invalid_request', listsFaults: true }];
}

function ofIdempotency(contract: AnyContract): DocumentedRefusal[] {
  if (!isIdempotent(contract)) return [];
  return [
    { status: 409, identifier: 'request_in_progress', headers: ['Retry-After'] },
    { status: 422, identifier: 'idempotency_key_reused' },
  ];
}
