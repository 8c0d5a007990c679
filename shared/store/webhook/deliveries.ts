import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { FailedAttempt, ParkedDelivery, SettledDelivery } from '../../webhooks/delivery.ts';
import type { SubscriptionRef } from '../../webhooks/subscription.ts';
import { defineEntity } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

const partition = (subscriptionId: string) => `${partitions.delivery}${subscriptionId}`;

/**
 * Everything about a subscription's deliveries is in one partition. Event ids begin with their time, so
 * both its ranges read oldest first: the log (what settled a delivery, then its failed attempts) and
 * what is parked.
 */
const settled = defineEntity(SettledDelivery, (subscriptionId: string, eventId: string) => ({
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

/** The delivery log. Every record may be written again: the same one takes its place. */
export class Deliveries {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** How a delivery was settled; undefined while it was not. Strongly consistent. */
  async findSettled(subscription: SubscriptionRef, eventId: string): Promise<SettledDelivery | undefined> {
    const item = await this.#table.get(settled.key(subscription.subscriptionId, eventId));
    return item && settled.parse(item);
  }

  async recordSettled(delivery: SettledDelivery): Promise<void> {
    const key = settled.key(delivery.subscription.subscriptionId, delivery.event.id);
    await this.#table.write({ kind: 'put', item: settled.item(key, delivery, expiry(delivery.at)) });
  }

  async recordFailed(attempt: FailedAttempt): Promise<void> {
    const key = failed.key(attempt.subscription.subscriptionId, attempt.event.id, attempt.attempt);
    await this.#table.write({ kind: 'put', item: failed.item(key, attempt, expiry(attempt.at)) });
  }

  async park(delivery: ParkedDelivery): Promise<void> {
    const { subscription, event } = delivery.message;
    const key = parked.key(subscription.subscriptionId, event.id);
    await this.#table.write({ kind: 'put', item: parked.item(key, delivery, expiry(delivery.parkedAt)) });
  }

  /** The parked deliveries of a subscription, oldest event first. */
  async parkedOf(subscriptionId: string, limit?: number): Promise<ParkedDelivery[]> {
    const items = await this.#table.query({
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
