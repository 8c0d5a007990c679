import { createHash } from 'node:crypto';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { RefusedAttempt } from '../../domain/award/refusal.ts';
import { defineEntity, Repository } from '../table/table-client.ts';
import { halvesOfToken, unusableAuthenticationId } from './claims.ts';

/**
 * Refused requests of endpoint 1. They are deleted after `retentionMs.refusedAttempt`. The attempts of one external
 * transaction are in one partition. The `authentication_id` of the reply contains both parts of the attempt's key, so
 * one read finds the attempt.
 */

const attempts = defineEntity(RefusedAttempt, (purchase: string, request: string) => ({
  pk: `${partitions.refusedAttempt}${purchase}`,
  sk: `ATTEMPT#${request}`,
}));

/** A merchant, and the id that the merchant gave an external transaction. */
export type PurchaseKey = Pick<RefusedAttempt, 'merchantId' | 'externalTransactionId'>;

/** The request of a refused attempt, without the details of the refusal. */
type RefusedRequest = PurchaseKey &
  Pick<RefusedAttempt, 'userId' | 'amountCents' | 'campaignId' | 'partnerId' | 'reason'>;

const halfBytes = 16;

function digest(...parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, halfBytes);
}

/** Because it contains the text REFUSED, this digest never equals the digest of a claim. */
const purchaseDigest = ({ merchantId, externalTransactionId }: PurchaseKey) =>
  digest(merchantId, externalTransactionId, 'REFUSED');

/**
 * The `authentication_id` of a refused request. It cannot be spent. If a repetition of the request is refused for the
 * same reason, it gets the same id. So repetitions do not fill the table.
 */
export function refusedAuthenticationId(request: RefusedRequest, stage: string): string {
  const { userId, amountCents, campaignId = null, partnerId = null, reason } = request;
  const rest = digest(userId, amountCents, campaignId, partnerId, reason);
  return unusableAuthenticationId(stage, Buffer.concat([purchaseDigest(request), rest]));
}

export class RefusedAttempts extends Repository {
  /** Writes an attempt. A repetition replaces the earlier record of the same attempt. */
  async keep(attempt: RefusedAttempt): Promise<void> {
    const halves = halvesOfToken(attempt.authenticationId);
    if (!halves) throw new RangeError(`${attempt.authenticationId} is no authentication id`);
    const ttl = toSeconds(Date.parse(attempt.refusedAt) + retentionMs.refusedAttempt);
    const key = attempts.key(halves.digest, halves.rest);
    await this.table.write({ kind: 'put', item: attempts.item(key, attempt, { [ttlAttribute]: ttl }) });
  }

  /** The attempts of an external transaction, the latest first. */
  async of(purchase: PurchaseKey): Promise<RefusedAttempt[]> {
    const { pk: partition } = attempts.key(purchaseDigest(purchase).toString('hex'), '');
    const items = await this.table.query({ partition });
    const time = ({ refusedAt }: RefusedAttempt) => Date.parse(refusedAt);
    return items.map(attempts.parse).toSorted((one, other) => time(other) - time(one));
  }

  /** Finds an attempt by the `authentication_id` in its reply. */
  async findByToken(authenticationId: string): Promise<RefusedAttempt | undefined> {
    const halves = halvesOfToken(authenticationId);
    const item = halves && (await this.table.get(attempts.key(halves.digest, halves.rest)));
    const attempt = item && attempts.parse(item);
    return attempt?.authenticationId === authenticationId ? attempt : undefined;
  }
}
