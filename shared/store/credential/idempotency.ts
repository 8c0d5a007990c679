import * as z from 'zod/mini';
import { lockMs, maximumAttempts, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  isNew,
  Repository,
  type Write,
} from '../table/table-client.ts';

/** A sent reply. Its body is sealed for the caller. */
const StoredReply = z.object({ status: z.int(), sealedBody: z.string() });
export type StoredReply = z.infer<typeof StoredReply>;

const Record = z.object({
  /** The id of the request that has the key. */
  claim: z.string(),
  bodyDigest: z.string(),
  reply: z.optional(StoredReply),
  /** Until this time the request counts as running. */
  lockedUntil: z.string(),
  expiresAt: z.string(),
});
type Record = z.infer<typeof Record>;

const records = defineEntity(Record, (scope: string) => ({ pk: `${partitions.idempotency}${scope}`, sk: 'REPLY' }));

/** The result of claiming an `Idempotency-Key` for a request. */
export type Claim =
  | { readonly kind: 'first' }
  | { readonly kind: 'replay'; readonly reply: StoredReply }
  | { readonly kind: 'other-body' }
  /** Another request has the key. The lock of that request ends after this time at the latest. */
  | { readonly kind: 'running'; readonly remainingMs: number };

/** A request with an `Idempotency-Key`: its scope (credential, endpoint and key), its own id and its body. */
export interface NamedRequest {
  readonly scope: string;
  readonly claim: string;
  readonly bodyDigest: string;
}

/** Replies by idempotency key. When another request takes over a key, the earlier request can no longer write. */
export class Idempotency extends Repository {
  /** Claims a key for a request, or returns the state of the request that has the key. */
  async claim(request: NamedRequest, now: Date): Promise<Claim> {
    let when: readonly Condition[] = isNew;
    // Another request may change or release the record while this request takes over the key. Then the new state counts.
    for (let round = 0; round <= maximumAttempts.keyTakeover; round += 1) {
      const { isWritten, found } = await this.#put(request, now, when);
      if (isWritten) return { kind: 'first' };
      const earlier = found && records.parse(found);
      const state = earlier && stateOf(earlier, request, now);
      if (state) return state;
      when = earlier ? isStill(earlier) : isNew;
    }
    return { kind: 'running', remainingMs: lockMs.idempotentRequest };
  }

  /**
   * The write that stores a reply. It has to be in the same DynamoDB transaction as the request's own writes.
   *
   * @param refusal thrown when the request has lost the key; then the request's own writes are not done either
   */
  replyWrite(request: NamedRequest, reply: StoredReply, refusal: Error): Write {
    return { ...this.#replyUpdate(request, reply), refusal };
  }

  /** Stores the reply of a request that changed no data. Does nothing if another request has taken over the key. */
  async keep(request: NamedRequest, reply: StoredReply): Promise<void> {
    await this.#own(this.#replyUpdate(request, reply));
  }

  /**
   * Releases the key of a request, if no reply is stored. Then the next request with the key runs like a first request.
   * The request that released the key can no longer write, even if its last write has not arrived yet.
   */
  async release(request: NamedRequest): Promise<void> {
    const key = records.key(request.scope);
    await this.#own({ kind: 'delete', key, when: isUnanswered(request.claim), repetition: 'harmless' });
  }

  #replyUpdate({ scope, claim }: NamedRequest, reply: StoredReply) {
    const key = records.key(scope);
    const when = isUnanswered(claim);
    return { kind: 'update', key, changes: { set: { reply } }, when, repetition: 'harmless' } as const;
  }

  /** Stores the record of a request, or finds what the condition refused; nothing if another request released it. */
  async #put(
    request: NamedRequest,
    now: Date,
    when: readonly Condition[],
  ): Promise<{ readonly isWritten: boolean; readonly found?: Item | null | undefined }> {
    const record: Record = {
      claim: request.claim,
      bodyDigest: request.bodyDigest,
      lockedUntil: new Date(now.getTime() + lockMs.idempotentRequest).toISOString(),
      expiresAt: new Date(now.getTime() + retentionMs.idempotentReply).toISOString(),
    };
    const ttl = toSeconds(now.getTime() + retentionMs.idempotentReply);
    try {
      const item = records.item(records.key(request.scope), record, { [ttlAttribute]: ttl });
      await this.table.write({ kind: 'put', item, when });
      return { isWritten: true };
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      return { isWritten: false, found: error.found.get(0) };
    }
  }

  async #own(write: Write): Promise<void> {
    try {
      await this.table.write(write);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}

/** The state of a key for a request; undefined when the request may take the key over. */
function stateOf(earlier: Record, request: NamedRequest, now: Date): Claim | undefined {
  if (now.getTime() >= Date.parse(earlier.expiresAt)) return undefined;
  if (earlier.bodyDigest !== request.bodyDigest) return { kind: 'other-body' };
  if (earlier.reply) return { kind: 'replay', reply: earlier.reply };
  const remainingMs = Date.parse(earlier.lockedUntil) - now.getTime();
  // The instance that set the lock may have a fast clock. So at most one full lock counts.
  return remainingMs > 0
    ? { kind: 'running', remainingMs: Math.min(remainingMs, lockMs.idempotentRequest) }
    : undefined;
}

/**
 * The conditions that hold only if a record has not changed since it was read. The record changes when the request that
 * has the key stores its reply.
 */
const isStill = ({ claim, reply }: Record): readonly Condition[] =>
  reply ? [{ attribute: 'claim', is: '=', value: claim }] : isUnanswered(claim);

/** The conditions that a request still has its key and has no stored reply. */
const isUnanswered = (claim: string): readonly Condition[] => [
  { attribute: 'claim', is: '=', value: claim },
  { attribute: 'reply', is: 'absent' },
];
