import { createHash, hkdfSync } from 'node:crypto';
import type { AnyContract } from '../contracts/contract.ts';
import { lockMs, maximumBytes, secondMs } from '../contracts/limits.ts';
import { once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { Idempotency, type NamedRequest, type StoredReply } from '../store/credential/idempotency.ts';
import { openText, type Seal, sealIvBytes, sealText } from '../store/credential/sealed-text.ts';
import { invalidKeyFault, keyPattern } from './idempotency-key.ts';
import { jsonReply, type Replies, type Reply, RequestRefusedError } from './reply.ts';
import { type IncomingRequest, type Step, secretOf } from './request.ts';

const openDeps = once(() => withStores(runtime(), { idempotency: Idempotency }));

/**
 * The `Idempotency-Key` header (docs/architecture/request-path.md, "Idempotency"). The first request with a key is
 * handled; later ones receive its reply. An operation that writes stores its reply in the same DynamoDB transaction.
 * This step stores the replies of requests that wrote nothing.
 */
export function replayReplies(contract: AnyContract, replies: Replies): Step {
  const claimed = new WeakMap<object, NamedRequest>();
  return {
    before: async (request) => {
      const { incoming } = request.context;
      const named = nameRequest(contract, incoming, replies);
      if (!named) return undefined;

      const { idempotency, now } = openDeps();
      const claim = await idempotency.claim(named, now());
      switch (claim.kind) {
        case 'first':
          claimed.set(request, named);
          incoming.replyWrite = (reply) =>
            idempotency.replyWrite(named, sealReply(named, reply, incoming), inProgress(lockMs.idempotentRequest));
          return undefined;
        case 'replay':
          return jsonReply(claim.reply.status, openReply(named, claim.reply.sealedBody, incoming), incoming.id, {
            'Idempotent-Replayed': 'true',
          });
        case 'other-body':
          throw otherBody;
        case 'running':
          throw inProgress(claim.remainingMs);
      }
    },
    after: async (request) => {
      const named = claimed.get(request);
      const { incoming } = request.context;
      if (!named || !request.response || incoming.storedReply) return;
      const reply = sealReply(named, request.response, incoming);
      // A reply that is too large is not stored. This request wrote nothing, so it may be handled again.
      if (reply.sealedBody.length > maximumBytes.storedReply) await openDeps().idempotency.release(named);
      else await openDeps().idempotency.keep(named, reply);
    },
    onError: async (request) => {
      const named = claimed.get(request);
      if (!named) return;
      const { incoming } = request.context;
      const refusal = replies.refusalFor(request.error);
      const { idempotency, log } = openDeps();
      try {
        // A refusal is final and is stored. After an internal error, a faulty request or one of too many requests, the
        // key may be used again.
        if (!refusal || refusal.faults || refusal.status === 429) return await idempotency.release(named);
        await idempotency.keep(named, sealReply(named, replies.failure(refusal, incoming.id), incoming));
      } catch (error) {
        // A lock that was not released expires by itself. A refusal that was not stored is not final: a repeated
        // request may succeed. So the caller receives an internal error instead of the refusal.
        log.warn('idempotency key not released', { requestId: incoming.id, error });
        if (refusal && !refusal.faults) request.error = error as Error;
      }
    },
  };
}

const otherBody = new RequestRefusedError(
  422,
  'idempotency_key_reused',
  'The Idempotency-Key was used with another body',
);

/**
 * The refusal while the key is locked: another request with the key is running, or died before it released the lock.
 * The lock expires after `remainingMs`.
 */
const inProgress = (remainingMs: number) =>
  new RequestRefusedError(409, 'request_in_progress', 'The first request with this Idempotency-Key is running', {
    headers: { 'Retry-After': String(Math.ceil(remainingMs / secondMs)) },
  });

/** @throws Error when the reply was changed in the table: the credential that sealed it cannot open it */
function openReply(named: NamedRequest, sealedBody: string, incoming: IncomingRequest): string {
  const body = openText(sealFor(named, incoming), sealedBody);
  if (body === undefined) throw new Error(`the stored reply ${named.scope} was changed`);
  return body;
}

/** Encrypts a reply for the table. */
function sealReply(named: NamedRequest, { statusCode: status, body }: Reply, incoming: IncomingRequest): StoredReply {
  const { random } = openDeps();
  return { status, sealedBody: sealText(sealFor(named, incoming), body, random(sealIvBytes)) };
}

/**
 * Replies contain salts and tokens, and are stored for a day. The caller's secret is the key that seals them.
 * The platform does not store that secret, so reading the table does not reveal replies.
 */
function sealFor({ scope }: NamedRequest, { headers }: IncomingRequest): Seal {
  return { key: new Uint8Array(hkdfSync('sha256', secretOf(headers), '', 'rewards/kept-reply', 32)), binding: scope };
}

/** Identifies a request by its caller, its path and its idempotency key; undefined if it has no such key. */
function nameRequest(
  contract: AnyContract,
  incoming: IncomingRequest,
  { invalidRequest }: Replies,
): NamedRequest | undefined {
  const { headers, path, rawBody, caller, id } = incoming;
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) throw invalidRequest([invalidKeyFault]);
  const scope = digest(JSON.stringify([caller.scope, contract.host, contract.method, path, key]));
  return { scope, claim: id, bodyDigest: digest(rawBody) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
