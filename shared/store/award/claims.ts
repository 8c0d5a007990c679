import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { minuteMs, shardCount, validityMs } from '../../contracts/limits.ts';
import { indexPartitions, partitions, tableIndexes } from '../../contracts/table.ts';
import { AwardClaim, type ClaimKey, isLive } from '../../domain/award/claim.ts';
import { type AwardRejection, type Finalizable, withNextRevision } from '../../domain/award/finalization.ts';
import {
  type Changes,
  type Condition,
  ConditionFailedError,
  defineEntity,
  exists,
  type Item,
  type Key,
  Repository,
  type Write,
} from '../table/table-client.ts';

/**
 * Award claims. The partition key is a digest of the claim key, and a token begins with the same digest, so one
 * read finds the claim of a token.
 */

const digestBytes = 16;
const secretBytes = 16;
const tokenPattern = /^rwa_[a-z]+_[\w-]{43}$/;

const claims = defineEntity(AwardClaim, (digest: string) => ({
  pk: `${partitions.claim}${digest}`,
  sk: 'CLAIM',
}));

function digestOf({ merchantId, campaignId, externalTransactionId, kind = 'PURCHASE' }: ClaimKey): Buffer {
  // For every award kind except PURCHASE, the digest contains the kind. So an id that the platform made for such an
  // award never leads to the claim of a purchase.
  const text = JSON.stringify([merchantId, campaignId, externalTransactionId, ...(kind === 'PURCHASE' ? [] : [kind])]);
  return createHash('sha256').update(text).digest().subarray(0, digestBytes);
}

/** The key of a claim in the table. */
export const claimKey = (key: ClaimKey): Key => claims.key(digestOf(key).toString('hex'));

/**
 * A token for a claim: `rwa_<stage>_`, then 32 bytes in base64url. The first 16 bytes are the claim's digest.
 *
 * @throws RangeError when there are fewer than 16 random bytes
 */
export function authenticationIdOf(key: ClaimKey, stage: string, random: Uint8Array): string {
  if (random.length < secretBytes) throw new RangeError(`a token needs ${secretBytes} random bytes`);
  const bytes = Buffer.concat([digestOf(key), random.subarray(0, secretBytes)]);
  return `rwa_${stage}_${bytes.toString('base64url')}`;
}

/** A token of 32 bytes that belongs to no claim, for the reply to a refused request. It looks like any other token. */
export function unusableAuthenticationId(stage: string, bytes: Uint8Array): string {
  return `rwa_${stage}_${Buffer.from(bytes.subarray(0, digestBytes + secretBytes)).toString('base64url')}`;
}

/** The digest and the rest of a token, as hexadecimal texts; undefined if the text does not have the form of a token. */
export function halvesOfToken(text: string): { readonly digest: string; readonly rest: string } | undefined {
  if (!tokenPattern.test(text)) return undefined;
  const bytes = Buffer.from(text.slice(text.indexOf('_', 4) + 1), 'base64url');
  return { digest: bytes.subarray(0, digestBytes).toString('hex'), rest: bytes.subarray(digestBytes).toString('hex') };
}

/**
 * At a merchant with several programs, a purchase earns in one program only. This item names the program, and the
 * campaigns whose claims keep the purchase in it. Without such a claim, any program may reward the purchase.
 */
const PurchaseProgram = z.object({ partnerId: z.int(), campaignIds: z.optional(z.set(z.int())) });
type PurchaseKey = Pick<ClaimKey, 'merchantId' | 'externalTransactionId'>;
const purchasePrograms = defineEntity(
  PurchaseProgram,
  ({ merchantId, externalTransactionId }: PurchaseKey): Key => ({
    pk: `${partitions.purchaseProgram}${digestOf({ merchantId, externalTransactionId, campaignId: 0 }).toString('hex')}`,
    sk: 'PROGRAM',
  }),
);

/**
 * Reads from an item the campaigns whose claims keep a purchase in its program; undefined for an item of another kind.
 */
export const keepingCampaigns = (item: Item): readonly number[] | undefined =>
  item.pk.startsWith(partitions.purchaseProgram) ? [...(purchasePrograms.parse(item).campaignIds ?? [])] : undefined;

/**
 * The writes that keep the purchase of each claim in the claim's program. They fail if claims keep the purchase in
 * another program.
 */
export function keepProgramWrites(claims: readonly AwardClaim[]): Write[] {
  const keeping = claims.filter(({ keepsProgram }) => keepsProgram);
  return [...Map.groupBy(keeping, ({ externalTransactionId }) => externalTransactionId).values()].flatMap((own) =>
    own.slice(0, 1).map((claim) => ({
      kind: 'update',
      key: purchasePrograms.key(claim),
      changes: {
        set: { partnerId: claim.partnerId },
        add: { campaignIds: new Set(own.map(({ campaignId }) => campaignId)) },
      },
      when: [{ attribute: 'partnerId', is: 'equal-while', value: claim.partnerId, present: 'campaignIds' }],
    })),
  );
}

/** The write after which a cancelled claim no longer keeps its purchase in its program. */
export const leaveProgramWrites = (claim: AwardClaim): Write[] =>
  claim.keepsProgram
    ? [
        {
          kind: 'update',
          key: purchasePrograms.key(claim),
          changes: { take: { campaignIds: new Set([claim.campaignId]) } },
        },
      ]
    : [];

export class AwardClaims extends Repository {
  /** The claim of an external transaction under one campaign. */
  async find(key: ClaimKey): Promise<AwardClaim | undefined> {
    return this.#get(claimKey(key));
  }

  /** The claims of an external transaction under some campaigns, in no order. */
  async findUnder(campaignIds: readonly number[], of: Omit<ClaimKey, 'campaignId'>): Promise<AwardClaim[]> {
    const keys = [...new Set(campaignIds)].map((campaignId) => claimKey({ ...of, campaignId }));
    return (await this.table.getAll(keys)).map(claims.parse);
  }

  /**
   * Finds the claim that a token was issued for. The caller has to compare the token, because the claim may have a
   * newer token.
   */
  async findByToken(authenticationId: string): Promise<AwardClaim | undefined> {
    const halves = halvesOfToken(authenticationId);
    return halves && this.#get(claims.key(halves.digest));
  }

  /** The keys of the claims whose tokens expire during `minute` (such as `2026-11-21T10:05`); eventually consistent. */
  async dueIn(minute: string): Promise<Key[]> {
    const keys: Key[] = [];
    for (let first = 0; first < shardCount.dueClaims; first += queriesAtOnce) {
      const shards = Array.from({ length: queriesAtOnce }, (_, position) => this.#dueInShard(minute, first + position));
      keys.push(...(await Promise.all(shards)).flat());
    }
    return keys;
  }

  /**
   * The claims of a user whose tokens can be spent at `now`. Reads the index for each minute in which such a token may
   * expire, and every claim that the index names: about 700 queries. Eventually consistent.
   */
  async liveOf(userId: number, now: Date): Promise<AwardClaim[]> {
    const found: AwardClaim[] = [];
    for (let ahead = 0; ahead <= validityMs.transactionToken; ahead += minuteMs) {
      const keys = await this.dueIn(minuteOf(new Date(now.getTime() + ahead).toISOString()));
      found.push(...(await this.table.getAll(keys)).map(claims.parse).filter((claim) => claim.userId === userId));
    }
    return found.filter((claim) => isLive(claim, now));
  }

  async #dueInShard(minute: string, shard: number): Promise<Key[]> {
    const items = await this.table.query({ index: 'due', partition: duePartition(minute, shard) });
    return items.map(({ pk, sk }) => ({ pk, sk }));
  }

  /** The claim of a key that {@link dueIn} returned. */
  async findDue(key: Key): Promise<AwardClaim | undefined> {
    return this.#get(key);
  }

  /** Makes a claim due in a later minute. A claim that is no longer due stays as it is. */
  async postpone(key: Key, minute: string): Promise<void> {
    try {
      await this.table.write({
        kind: 'update',
        key,
        changes: { set: { [tableIndexes.due.partition]: duePartition(minute, dueShardOf(key)) } },
        when: [{ attribute: tableIndexes.due.partition, is: 'present' }],
        repetition: 'harmless',
      });
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }

  async #get(key: Key): Promise<AwardClaim | undefined> {
    const item = await this.table.get(key);
    return item && claims.parse(item);
  }
}

/** Parses a claim from an item of the table or of its stream. */
export const parseClaim = (item: Item): AwardClaim => claims.parse(item);

/**
 * How many queries of the index run in parallel. The 64 shards of a minute take four rounds. If all 64 are empty, they
 * cost 32 read units together.
 */
const queriesAtOnce = 16;

const duePartition = (minute: string, shard: number) => `${indexPartitions.due}${minute}#${shard}`;

/** Chooses the shard by the first byte of the claim's digest. One partition key takes 1,000 write units a second. */
const dueShardOf = ({ pk }: Key) =>
  Number.parseInt(pk.slice(partitions.claim.length, partitions.claim.length + 2), 16) % shardCount.dueClaims;

/** The minute of an instant, as the index contains it: `2026-11-21T10:05`. */
export const minuteOf = (instant: string): string => instant.slice(0, 16);

/** The item of a claim. While its token can be spent, the item is in the `due` index. */
export function claimItem(claim: AwardClaim): Item {
  const key = claimKey(claim);
  if (claim.state === 'SPENT') return claims.item(key, claim);
  return claims.item(key, claim, {
    [tableIndexes.due.partition]: duePartition(minuteOf(claim.expiresAt), dueShardOf(key)),
    [tableIndexes.due.sort]: `${claim.expiresAt}#${key.pk}`,
  });
}

/** The write of a spent claim whose refunds are applied, or whose payment captured more. */
export const claimChangeWrite = (
  claim: AwardClaim,
  set: Partial<Pick<AwardClaim, 'amountCents' | 'refundsAppliedCents'>>,
): Write => ({ kind: 'update', key: claimKey(claim), changes: { set }, when: exists });

/** The condition that the token is neither spent nor replaced. */
export const tokenIsIssued = (authenticationId: string): readonly Condition[] => [
  { attribute: 'authenticationId', is: '=', value: authenticationId },
  { attribute: 'state', is: '=', value: 'ISSUED' },
];

/** An item without these attributes is not in the `due` index. */
const dueAttributes: NonNullable<Changes['remove']> = [tableIndexes.due.partition, tableIndexes.due.sort];

/**
 * The write that spends a live token. If two calls do it at the same time, one of them fails.
 *
 * @param attributes more attributes to store in the item, such as events; a claim that is read lacks them
 */
export function spendWrite(claim: AwardClaim, now: Date, attributes: Readonly<Record<string, unknown>> = {}): Write {
  return {
    kind: 'update',
    key: claimKey(claim),
    changes: {
      set: { state: 'SPENT', spentAt: now.toISOString(), ...attributes },
      remove: dueAttributes,
    },
    when: [...tokenIsIssued(claim.authenticationId), { attribute: 'expiresAt', is: '>', value: now.toISOString() }],
  };
}

/** An order or trigger event in its new state. */
interface Finalized extends Finalizable {
  readonly state: string;
  readonly rejection?: AwardRejection | undefined;
}

/**
 * The write of a changed order or trigger event. It requires that the item has not changed since it was read, and that
 * its state allows the new state.
 *
 * @param before the states that may precede the new state
 * @param others other attributes to change
 */
export function finalizationWrite(
  key: Key,
  finalized: Finalized,
  { before, others = {} }: { readonly before: readonly string[]; readonly others?: Readonly<Record<string, unknown>> },
): Write {
  const { state, transactionIds, programId, rejection, updatedAt, revision } = withNextRevision(finalized);
  return {
    kind: 'update',
    key,
    changes: {
      set: {
        ...{ ...others, state, transactionIds, updatedAt, revision },
        ...(programId !== undefined && { programId }),
        ...(rejection !== undefined && { rejection }),
      },
    },
    when: [
      { attribute: 'revision', is: '=', value: finalized.revision },
      { attribute: 'state', is: 'in', values: [state, ...before] },
    ],
    // A repetition is recognised by the revision, the time and the state.
    repetition: 'recognisable',
  };
}
