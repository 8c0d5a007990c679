import { type Selector, Subscription, type SubscriptionRef } from '../../webhooks/subscription.ts';
import { organisationPartition } from '../organisation/organisations.ts';
import { ConditionFailedError, defineEntity, exists, isNew, type Write } from '../table/items.ts';
import type { TableClient } from '../table/table-client.ts';

const prefix = 'SUBSCRIPTION#';

/** The key is the selector, so that an organisation cannot have two subscriptions to one thing. */
const subscriptions = defineEntity(Subscription, (organisationId: number, { eventName, entityType }: Selector) => ({
  pk: organisationPartition(organisationId),
  sk: `${prefix}${eventName ?? '*'}#${entityType ?? '*'}`,
}));

/** Webhook subscriptions: they stand in the partition of their organisation. */
export class Subscriptions {
  readonly #table: TableClient;

  constructor(table: TableClient) {
    this.#table = table;
  }

  /** All of an organisation's; strongly consistent. */
  async of(organisationId: number): Promise<Subscription[]> {
    const items = await this.#table.query({
      partition: organisationPartition(organisationId),
      sortBeginsWith: prefix,
    });
    return items.map(subscriptions.parse);
  }

  /** The very subscription that is meant; undefined when it was deleted, be there another in its place or not. */
  async find(ref: SubscriptionRef): Promise<Subscription | undefined> {
    const item = await this.#table.get(subscriptions.key(ref.organisationId, ref));
    const found = item && subscriptions.parse(item);
    return found?.subscriptionId === ref.subscriptionId ? found : undefined;
  }

  /** False, and nothing written, when its organisation has a subscription with that selector. */
  create(subscription: Subscription): Promise<boolean> {
    const key = subscriptions.key(subscription.organisationId, subscription);
    return this.#written({ kind: 'put', item: subscriptions.item(key, subscription), when: isNew });
  }

  /** Replaces the URL and nothing else; false when there is no such subscription. */
  moveEndpoint(
    organisationId: number,
    selector: Selector,
    to: Pick<Subscription, 'endpointUrl' | 'updatedAt'>,
  ): Promise<boolean> {
    const { endpointUrl, updatedAt } = to;
    const key = subscriptions.key(organisationId, selector);
    return this.#written({ kind: 'update', key, changes: { set: { endpointUrl, updatedAt } }, when: exists });
  }

  /** False when there is no such subscription. */
  remove(organisationId: number, selector: Selector): Promise<boolean> {
    return this.#written({ kind: 'delete', key: subscriptions.key(organisationId, selector), when: exists });
  }

  async #written(write: Write): Promise<boolean> {
    try {
      await this.#table.write(write);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}
