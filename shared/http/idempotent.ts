import { createHash, hkdfSync } from 'node:crypto';
import type { AnyContract } from '../contracts/contract.ts';
import { timingMs, toSeconds } from '../contracts/limits.ts';
import type { NamedRequest } from '../store/credential/idempotency.ts';
import type { Exchange, Step } from './exchange.ts';
import { secretOf } from './identify-caller.ts';
import { RequestRefusedError } from './refusal.ts';
import { errorReply, jsonReply, type Reply, refusalOf } from './reply.ts';
import { openText, type Seal, sealIvBytes, sealText } from './sealed-text.ts';
import { invalidRequest } from './validation.ts';

const keyPattern = /^[\u0020-\u007e]{1,255}$/;

/**
 * The `Idempotency-Key` header (docs/gaps.md, "Idempotency"): the first request with a key works, the
 * others get its reply. Below it lie the business keys, which hold without any header; a request that
 * dies before its reply is kept is therefore tried again, never done again.
 */
export function idempotent(contract: AnyContract): Step {
  const requests = new WeakMap<object, NamedRequest>();
  return {
    before: async (request) => {
      const { exchange } = request.context;
      const named = namedRequest(contract, exchange);
      if (!named) return undefined;

      const claim = await exchange.gate.idempotency.claim(named, exchange.gate.now());
      switch (claim.kind) {
        case 'first':
          requests.set(request, named);
          return undefined;
        case 'replay':
          return jsonReply(claim.reply.status, opened(named, claim.reply.sealedBody, exchange), exchange.requestId, {
            'Idempotent-Replayed': 'true',
          });
        case 'other-body':
          throw new RequestRefusedError(
            422,
            'idempotency_key_reused',
            'The Idempotency-Key was used with another body',
          );
        case 'running':
          throw new RequestRefusedError(
            409,
            'request_in_progress',
            'The first request with this Idempotency-Key is running',
            {
              headers: { 'Retry-After': String(toSeconds(timingMs.retryAfterRunningRequest)) },
            },
          );
      }
    },
    after: async (request) => {
      const named = requests.get(request);
      if (!named || !request.response) return;
      await keep(named, request.response, request.context.exchange);
    },
    onError: async (request) => {
      const named = requests.get(request);
      if (!named) return;
      const { exchange } = request.context;
      const refusal = refusalOf(contract, request.error);
      // What was refused for good stays refused. A failure of ours may be gone with the next try, and a
      // request that was faulty may be put right.
      if (refusal === undefined || refusal.faults) return exchange.gate.idempotency.release(named);
      await keep(named, errorReply(contract, request.error, exchange.requestId), exchange);
    },
  };
}

/** The same credential made it, so it opens; what does not was changed by somebody in the table. */
function opened(named: NamedRequest, sealedBody: string, exchange: Exchange): string {
  const body = openText(sealOf(named, exchange), sealedBody);
  if (body === undefined) throw new Error('a kept reply was changed');
  return body;
}

/** Keeps a reply for those who ask again with the same credential. */
async function keep(named: NamedRequest, { statusCode, body }: Reply, exchange: Exchange): Promise<void> {
  const sealedBody = sealText(sealOf(named, exchange), body, exchange.gate.random(sealIvBytes));
  await exchange.gate.idempotency.keep(named, { status: statusCode, sealedBody });
}

/**
 * Replies hold salts and tokens, and are kept for a day. Their key is made of the caller's own secret, which
 * the platform has nowhere: nobody who reads the table can read them.
 */
function sealOf({ scope }: NamedRequest, { headers }: Exchange): Seal {
  return { key: new Uint8Array(hkdfSync('sha256', secretOf(headers), '', 'rewards/kept-reply', 32)), binding: scope };
}

/** The request by the name it gives itself; undefined when it gives none. */
function namedRequest(contract: AnyContract, exchange: Exchange): NamedRequest | undefined {
  const key = exchange.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    const message = 'Idempotency-Key must be 1 to 255 printable characters';
    throw invalidRequest(contract, [{ pointer: '', code: 'invalid_idempotency_key', message }]);
  }
  const scope = digest(JSON.stringify([exchange.caller.scope, contract.host, contract.method, exchange.path, key]));
  return { scope, claim: exchange.requestId, bodyDigest: digest(exchange.rawBody) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a write may remember of the request that made it; undefined when the request gave itself no name. */
export function requestName(contract: AnyContract, exchange: Exchange): string | undefined {
  return namedRequest(contract, exchange)?.scope;
}
