import { cacheAgeMs } from '../../contracts/limits.ts';
import type { Subscription, SubscriptionRef } from '../../webhooks/subscription.ts';
import type { TableClient } from '../table/table-client.ts';
import { Subscriptions } from './subscriptions.ts';

interface Loaded {
  readonly atMs: number;
  readonly subscriptions: Promise<Subscription[]>;
}

/** The subscriptions of organisations, read once for all events of a burst. */
export class RecentSubscriptions {
  readonly #subscriptions: Pick<Subscriptions, 'of'>;
  readonly #now: () => Date;
  readonly #loaded = new Map<number, Loaded>();

  constructor(
    table: TableClient,
    { now }: { readonly now: () => Date },
    subscriptions: Pick<Subscriptions, 'of'> = new Subscriptions(table),
  ) {
    this.#now = now;
    this.#subscriptions = subscriptions;
  }

  /**
   * The subscriptions of an organisation. A list that is older than the event is read again. So every subscription
   * that existed at the time of the event receives the event.
   *
   * @param occurredAt time of the event, ISO 8601
   */
  async of(organisationId: number, occurredAt: string): Promise<Subscription[]> {
    const nowMs = this.#now().getTime();
    const known = this.#loaded.get(organisationId);
    if (known && known.atMs > Date.parse(occurredAt) && nowMs - known.atMs < cacheAgeMs.subscriptions)
      return known.subscriptions;

    this.#forget(nowMs);
    const loaded = { atMs: nowMs, subscriptions: this.#subscriptions.of(organisationId) };
    this.#keep(organisationId, loaded);
    return loaded.subscriptions;
  }

  #keep(organisationId: number, loaded: Loaded): void {
    this.#loaded.set(organisationId, loaded);
    // The next caller must not receive a failed read.
    loaded.subscriptions.catch(
      () => this.#loaded.get(organisationId) === loaded && this.#loaded.delete(organisationId),
    );
  }

  /**
   * A subscription, from a cache that is at most some seconds old; undefined when it was deleted. If the reference
   * names a newer version, the subscription is read again.
   */
  async find({ organisationId, subscriptionId, updatedAt = '' }: SubscriptionRef): Promise<Subscription | undefined> {
    const now = this.#now();
    const isWanted = (subscription: Subscription) => subscription.subscriptionId === subscriptionId;
    const known = this.#loaded.get(organisationId);
    if (known && now.getTime() - known.atMs < cacheAgeMs.subscriptions) {
      const found = (await known.subscriptions).find(isWanted);
      if (found && found.updatedAt >= updatedAt) return found;
    }
    return (await this.of(organisationId, now.toISOString())).find(isWanted);
  }

  /** Replaces a subscription in memory by a version that this process has written or read since. */
  note(subscription: Subscription): void {
    const known = this.#loaded.get(subscription.organisationId);
    if (!known) return;
    const subscriptions = known.subscriptions.then((list) =>
      list.map((one) => (one.subscriptionId === subscription.subscriptionId ? subscription : one)),
    );
    this.#keep(subscription.organisationId, { atMs: known.atMs, subscriptions });
  }

  #forget(nowMs: number): void {
    for (const [organisationId, { atMs }] of this.#loaded) {
      if (nowMs - atMs >= cacheAgeMs.subscriptions) this.#loaded.delete(organisationId);
    }
  }
}
