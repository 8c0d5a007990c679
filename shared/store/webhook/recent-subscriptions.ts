import { cacheAgeMs } from '../../contracts/limits.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
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
   * The subscriptions of an organisation. A list from before the event is read again, so that every subscription
   * from before the event receives it.
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
    this.#loaded.set(organisationId, loaded);
    // The next caller must not receive a failed read.
    loaded.subscriptions.catch(
      () => this.#loaded.get(organisationId) === loaded && this.#loaded.delete(organisationId),
    );
    return loaded.subscriptions;
  }

  #forget(nowMs: number): void {
    for (const [organisationId, { atMs }] of this.#loaded) {
      if (nowMs - atMs >= cacheAgeMs.subscriptions) this.#loaded.delete(organisationId);
    }
  }
}
