import { createHash } from 'node:crypto';
import { shardCount } from '../../contracts/limits.ts';
import { indexPartitions, partitions, tableIndexes } from '../../contracts/table.ts';
import { AwardClaim, type ClaimKey } from '../../domain/award/claim.ts';
import {
  type Changes,
  type Condition,
  ConditionFailedError,
  defineEntity,
  type Item,
  type Key,
  type Write,
} from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

/**
 * Purchases. The partition key is a digest of the business key, and a token begins with the same
 * digest: whoever has the token finds the purchase in one read.
 */

const digestBytes = 16;
const secretBytes = 16;
const tokenPattern = /^rwa_[a-z]+_[\w-]{43}$/;

const claims = defineEntity(AwardClaim, (digest: string) => ({
  pk: `${partitions.claim}${digest}`,
  sk: 'CLAIM',
}));

function digestOf(key: ClaimKey): Buffer {
  const { merchantId, campaignId, externalTransactionId, kind: occasion = 'PURCHASE' } = key;
  // What occasions of the platform's own are called must not meet what merchants call their orders.
  const kind = occasion === 'PURCHASE' ? [] : [occasion];
  const text = JSON.stringify([merchantId, campaignId, externalTransactionId, ...kind]);
  return createHash('sha256').update(text).digest().subarray(0, digestBytes);
}

/** The key of a purchase. */
export const claimKey = (key: ClaimKey): Key => claims.key(digestOf(key).toString('hex'));

/** A token for a purchase: `rwa_<stage>_` and 32 bytes in base64url, the first half of which find it again. */
export function authenticationIdOf(key: ClaimKey, stage: string, random: Uint8Array): string {
  if (random.length < secretBytes) throw new RangeError('a token needs sixteen random bytes');
  const bytes = Buffer.concat([digestOf(key), random.subarray(0, secretBytes)]);
  return `rwa_${stage}_${bytes.toString('base64url')}`;
}

/** A token that looks like any other and belongs to no purchase: what a refused request is given. */
export function unusableAuthenticationId(stage: string, random: Uint8Array): string {
  return `rwa_${stage}_${Buffer.from(random.subarray(0, digestBytes + secretBytes)).toString('base64url')}`;
}

export class AwardClaims {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** What became of an external transaction under a campaign. */
  async find(key: ClaimKey): Promise<AwardClaim | undefined> {
    return this.#get(claimKey(key));
  }

  /** The same under each of some campaigns, where anything became of it; in no order. */
  async findUnder(campaignIds: readonly number[], of: Omit<ClaimKey, 'campaignId'>): Promise<AwardClaim[]> {
    const keys = [...new Set(campaignIds)].map((campaignId) => claimKey({ ...of, campaignId }));
    return (await this.#table.getAll(keys)).map(claims.parse);
  }

  /** The purchase that a token once was issued for; whether it still is must be compared. */
  async findByToken(authenticationId: string): Promise<AwardClaim | undefined> {
    if (!tokenPattern.test(authenticationId)) return undefined;
    const bytes = Buffer.from(authenticationId.slice(authenticationId.indexOf('_', 4) + 1), 'base64url');
    return this.#get(claims.key(bytes.subarray(0, digestBytes).toString('hex')));
  }

  /** Keys of the purchases whose tokens expire in one minute; eventually consistent. */
  async dueIn(minute: string, shard: number): Promise<Key[]> {
    const items = await this.#table.query({ index: 'due', partition: duePartition(minute, shard) });
    return items.map(({ pk, sk }) => ({ pk, sk }));
  }

  async findDue(key: Key): Promise<AwardClaim | undefined> {
    return this.#get(key);
  }

  /** Has a purchase come up again in another minute; nothing happens to one that is no longer due. */
  async postpone(key: Key, minute: string): Promise<void> {
    try {
      await this.#table.write({
        kind: 'update',
        key,
        changes: { set: { [tableIndexes.due.partition]: duePartition(minute, dueShardOf(key)) } },
        when: [{ attribute: tableIndexes.due.partition, is: 'present' }],
      });
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }

  async #get(key: Key): Promise<AwardClaim | undefined> {
    const item = await this.#table.get(key);
    return item && claims.parse(item);
  }
}

/** The purchase that a failed condition met. */
export const parseClaim = (item: Item): AwardClaim => claims.parse(item);

const duePartition = (minute: string, shard: number) => `${indexPartitions.due}${minute}#${shard}`;

/** By the first byte of the digest in its key. */
const dueShardOf = ({ pk }: Key) =>
  Number.parseInt(pk.slice(partitions.claim.length, partitions.claim.length + 2), 16) % shardCount.dueClaims;

/** The minute that an instant is in, as the index writes it: `2026-11-21T10:05`. */
export const minuteOf = (instant: string): string => instant.slice(0, 16);

/** The item of a purchase; while its token can be spent it is in the index of what becomes due. */
export function claimItem(claim: AwardClaim): Item {
  const key = claimKey(claim);
  if (claim.state === 'SPENT') return claims.item(key, claim);
  return claims.item(key, claim, {
    [tableIndexes.due.partition]: duePartition(minuteOf(claim.expiresAt), dueShardOf(key)),
    [tableIndexes.due.sort]: `${claim.expiresAt}#${key.pk}`,
  });
}

/** Holds while a token is neither spent nor replaced. */
export const tokenIsIssued = (authenticationId: string): readonly Condition[] => [
  { attribute: 'authenticationId', is: '=', value: authenticationId },
  { attribute: 'state', is: '=', value: 'ISSUED' },
];

/** Takes a purchase out of what becomes due. */
const notDue: NonNullable<Changes['remove']> = [tableIndexes.due.partition, tableIndexes.due.sort];

/** Spends a token, on the condition that it lives: of two racing calls one is refused. */
export function spendWrite(claim: AwardClaim, now: Date, spentBy: string | undefined): Write {
  return {
    kind: 'update',
    key: claimKey(claim),
    changes: {
      set: { state: 'SPENT', spentAt: now.toISOString(), ...(spentBy !== undefined && { spentBy }) },
      remove: notDue,
    },
    when: [...tokenIsIssued(claim.authenticationId), { attribute: 'expiresAt', is: '>', value: now.toISOString() }],
  };
}
