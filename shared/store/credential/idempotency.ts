import * as z from 'zod/mini';
import { lockMs, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { TableClient } from '../table/table-client.ts';
import { ConditionFailedError, defineEntity, type Item, isNew, type Write } from '../table/table-client.ts';

/** A sent reply. Its body is sealed for the caller. */
const StoredReply = z.object({ status: z.int(), sealedBody: z.string() });
export type StoredReply = z.infer<typeof StoredReply>;

const Record = z.object({
  /** The id of the request that has the key. */
  claim: z.string(),
  bodyDigest: z.string(),
  reply: z.optional(StoredReply),
  /** Until then the request counts as running. */
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
  | { readonly kind: 'running' };

/** A request with an `Idempotency-Key`: its scope (credential, endpoint and key), its own id and its body. */
export interface NamedRequest {
  readonly scope: string;
  readonly claim: string;
  readonly bodyDigest: string;
}

/** Replies by idempotency key. */
export class Idempotency {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** Claims a key for a request, or returns the state of the request that has the key. */
  async claim(request: NamedRequest, now: Date): Promise<Claim> {
    const found = await this.#put(request, now, isNew);
    if (found === undefined) return { kind: 'first' };

    const earlier = records.parse(found);
    // The stored claim is this request's own: the reply of its write was lost, and the client library wrote again.
    if (earlier.claim === request.claim && !earlier.reply) return { kind: 'first' };
    const isOver = now.getTime() >= Date.parse(earlier.expiresAt);
    if (!isOver && earlier.bodyDigest !== request.bodyDigest) return { kind: 'other-body' };
    if (!isOver && earlier.reply) return { kind: 'replay', reply: earlier.reply };
    if (!isOver && now.getTime() < Date.parse(earlier.lockedUntil)) return { kind: 'running' };

    // The first request failed without a trace, or a day has passed: the request that replaces the claim continues.
    const lost = await this.#put(request, now, [{ attribute: 'claim', is: '=', value: earlier.claim }]);
    return lost === undefined || lost.claim === request.claim ? { kind: 'first' } : { kind: 'running' };
  }

  /** Stores the reply of a request that still has the key. */
  async keep(request: NamedRequest, reply: StoredReply): Promise<void> {
    await this.#own({
      kind: 'update',
      key: records.key(request.scope),
      changes: { set: { reply } },
      when: [{ attribute: 'claim', is: '=', value: request.claim }],
    });
  }

  /** Releases the key of a request that still has it. The next attempt then runs as a first one. */
  async release(request: NamedRequest): Promise<void> {
    await this.#own({
      kind: 'delete',
      key: records.key(request.scope),
      when: [{ attribute: 'claim', is: '=', value: request.claim }],
    });
  }

  async #put(request: NamedRequest, now: Date, when: Write['when']): Promise<Item | undefined> {
    const record: Record = {
      claim: request.claim,
      bodyDigest: request.bodyDigest,
      lockedUntil: new Date(now.getTime() + lockMs.idempotentRequest).toISOString(),
      expiresAt: new Date(now.getTime() + retentionMs.idempotentReply).toISOString(),
    };
    const ttl = toSeconds(now.getTime() + retentionMs.idempotentReply);
    try {
      const item = records.item(records.key(request.scope), record, { [ttlAttribute]: ttl });
      await this.#table.write({ kind: 'put', item, ...(when && { when }) });
      return undefined;
    } catch (error) {
      const found = error instanceof ConditionFailedError ? error.found.get(0) : undefined;
      if (!found) throw error;
      return found;
    }
  }

  async #own(write: Write): Promise<void> {
    try {
      await this.#table.write(write);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
}
