import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import type { SubscriptionRef } from '../../webhooks/subscription.ts';
import { FailedAttempt, FinalizedDelivery, ParkedDelivery } from '../../webhooks/subscription.ts';
import { defineEntity, Repository } from '../table/table-client.ts';

const partition = (subscriptionId: string) => `${partitions.delivery}${subscriptionId}`;

/**
 * All deliveries of a subscription are in one partition. The partition has two ranges: the log (a finalized delivery,
 * then its failed attempts) and the parked deliveries. Event ids begin with their time, so both ranges are in the order
 * of time.
 */
const finalized = defineEntity(FinalizedDelivery, (subscriptionId: string, eventId: string) => ({
  pk: partition(subscriptionId),
  sk: eventId,
}));
const failed = defineEntity(FailedAttempt, (subscriptionId: string, eventId: string, attempt: number) => ({
  pk: partition(subscriptionId),
  sk: `${eventId}#ATTEMPT#${String(attempt).padStart(3, '0')}`,
}));
const parkedPrefix = 'PARKED#';
const parked = defineEntity(ParkedDelivery, (subscriptionId: string, eventId: string) => ({
  pk: partition(subscriptionId),
  sk: `${parkedPrefix}${eventId}`,
}));

/** The delivery log. Writing a record again replaces it. */
export class Deliveries extends Repository {
  /** Returns a finalized delivery; undefined while it is not finalized. Strongly consistent. */
  async findFinalized(subscription: SubscriptionRef, eventId: string): Promise<FinalizedDelivery | undefined> {
    const item = await this.table.get(finalized.key(subscription.subscriptionId, eventId));
    return item && finalized.parse(item);
  }

  async recordFinalized(delivery: FinalizedDelivery): Promise<void> {
    const key = finalized.key(delivery.subscription.subscriptionId, delivery.event.id);
    await this.table.write({ kind: 'put', item: finalized.item(key, delivery, expiry(delivery.at)) });
  }

  async recordFailed(attempt: FailedAttempt): Promise<void> {
    const key = failed.key(attempt.subscription.subscriptionId, attempt.event.id, attempt.attempt);
    await this.table.write({ kind: 'put', item: failed.item(key, attempt, expiry(attempt.at)) });
  }

  async park(delivery: ParkedDelivery): Promise<void> {
    const { subscription, event } = delivery.message;
    const key = parked.key(subscription.subscriptionId, event.id);
    await this.table.write({ kind: 'put', item: parked.item(key, delivery, expiry(delivery.parkedAt)) });
  }

  /** The parked deliveries of a subscription, oldest event first. */
  async parkedOf(subscriptionId: string, limit?: number): Promise<ParkedDelivery[]> {
    const items = await this.table.query({
      partition: partition(subscriptionId),
      sortBeginsWith: parkedPrefix,
      ...(limit !== undefined && { limit }),
    });
    return items.map(parked.parse);
  }
}

function expiry(at: string): Record<string, number> {
  return { [ttlAttribute]: toSeconds(Date.parse(at) + retentionMs.delivery) };
}
