import { createHash, hkdfSync } from 'node:crypto';
import type { AnyContract } from '../contracts/contract.ts';
import { timingMs, toSeconds } from '../contracts/limits.ts';
import { once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { Idempotency, type NamedRequest } from '../store/credential/idempotency.ts';
import { jsonReply, type Replies, type Reply, RequestRefusedError } from './reply.ts';
import { type IncomingRequest, type Step, secretOf } from './request.ts';
import { openText, type Seal, sealIvBytes, sealText } from './sealed-text.ts';

const openDeps = once(() => withStores(runtime(), { idempotency: Idempotency }));

const keyPattern = /^[\u0020-\u007e]{1,255}$/;

/**
 * The `Idempotency-Key` header (docs/gaps.md, "Idempotency"). The first request with a key is handled; later
 * ones receive its reply. Writes have business keys of their own, so a request that ends before its reply is
 * stored is handled again without doing its work twice.
 */
export function replayReplies(contract: AnyContract, replies: Replies): Step {
  const claimed = new WeakMap<object, NamedRequest>();
  return {
    before: async (request) => {
      const { incoming } = request.context;
      const named = nameRequest(contract, incoming, replies);
      if (!named) return undefined;
      incoming.name = named.scope;

      const { idempotency, now } = openDeps();
      const claim = await idempotency.claim(named, now());
      switch (claim.kind) {
        case 'first':
          claimed.set(request, named);
          return undefined;
        case 'replay':
          return jsonReply(claim.reply.status, openReply(named, claim.reply.sealedBody, incoming), incoming.id, {
            'Idempotent-Replayed': 'true',
          });
        case 'other-body':
          throw otherBody;
        case 'running':
          throw inProgress;
      }
    },
    after: async (request) => {
      const named = claimed.get(request);
      if (named && request.response) await storeReply(named, request.response, request.context.incoming);
    },
    onError: async (request) => {
      const named = claimed.get(request);
      if (!named) return;
      const { incoming } = request.context;
      const refusal = replies.refusalFor(request.error);
      // A refusal is final and stored. After an error of ours, or a faulty request, the key may be used again.
      if (!refusal || refusal.faults) return openDeps().idempotency.release(named);
      await storeReply(named, replies.failure(request.error, incoming.id), incoming);
    },
  };
}

const otherBody = new RequestRefusedError(
  422,
  'idempotency_key_reused',
  'The Idempotency-Key was used with another body',
);

const inProgress = new RequestRefusedError(
  409,
  'request_in_progress',
  'The first request with this Idempotency-Key is running',
  { headers: { 'Retry-After': String(toSeconds(timingMs.retryAfterRunningRequest)) } },
);

/** @throws Error when the stored reply was changed in the table: the same credential sealed it */
function openReply(named: NamedRequest, sealedBody: string, incoming: IncomingRequest): string {
  const body = openText(sealFor(named, incoming), sealedBody);
  if (body === undefined) throw new Error(`the stored reply ${named.scope} was changed`);
  return body;
}

async function storeReply(named: NamedRequest, { statusCode, body }: Reply, incoming: IncomingRequest): Promise<void> {
  const { idempotency, random } = openDeps();
  const sealedBody = sealText(sealFor(named, incoming), body, random(sealIvBytes));
  await idempotency.keep(named, { status: statusCode, sealedBody });
}

/**
 * Replies contain salts and tokens, and are stored for a day. The caller's secret is the key that seals them.
 * The platform does not store that secret, so reading the table does not reveal replies.
 */
function sealFor({ scope }: NamedRequest, { headers }: IncomingRequest): Seal {
  return { key: new Uint8Array(hkdfSync('sha256', secretOf(headers), '', 'rewards/kept-reply', 32)), binding: scope };
}

/** Names a request by its idempotency key; undefined without one. */
function nameRequest(
  contract: AnyContract,
  incoming: IncomingRequest,
  { invalidRequest }: Replies,
): NamedRequest | undefined {
  const { headers, path, rawBody, caller, id } = incoming;
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    const message = 'Idempotency-Key must be 1 to 255 printable characters';
    throw invalidRequest([{ pointer: '', code: 'invalid_idempotency_key', message }]);
  }
  const scope = digest(JSON.stringify([caller.scope, contract.host, contract.method, path, key]));
  return { scope, claim: id, bodyDigest: digest(rawBody) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
