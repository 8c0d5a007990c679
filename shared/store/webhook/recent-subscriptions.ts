import { cacheAgeMs } from '../../contracts/limits.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

interface Loaded {
  readonly atMs: number;
  readonly subscriptions: Promise<Subscription[]>;
}

/** Subscriptions of organisations, read once for all events that a burst brings. */
export class RecentSubscriptions {
  readonly #subscriptions: Subscriptions;
  readonly #now: () => Date;
  readonly #loaded = new Map<number, Loaded>();

  constructor(subscriptions: Subscriptions, now: () => Date) {
    this.#subscriptions = subscriptions;
    this.#now = now;
  }

  /**
   * The subscriptions of an organisation. A list that was read before the event happened is read again:
   * who subscribed before it hears it, however recently.
   *
   * @param happenedAt ISO 8601
   */
  async of(organisationId: number, happenedAt: string): Promise<Subscription[]> {
    const nowMs = this.#now().getTime();
    const known = this.#loaded.get(organisationId);
    if (known && known.atMs > Date.parse(happenedAt) && nowMs - known.atMs < cacheAgeMs.subscriptions)
      return known.subscriptions;

    this.#forget(nowMs);
    const loaded = { atMs: nowMs, subscriptions: this.#subscriptions.of(organisationId) };
    this.#loaded.set(organisationId, loaded);
    // A read that failed must not answer those who come next.
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
