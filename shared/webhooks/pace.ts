import { maximumCount } from '../contracts/limits.ts';

/**
 * How many attempts this process makes to an endpoint at the same time: few at the first contact, one after a failure,
 * and twice as many after each success.
 */
export class Pace {
  readonly #known = new Map<string, number>();

  of(subscriptionId: string): number {
    return this.#known.get(subscriptionId) ?? maximumCount.firstAtOnce;
  }

  note(subscriptionId: string, result: 'delivered' | 'failed'): void {
    const next = result === 'failed' ? 1 : Math.min(maximumCount.attemptsAtOnce, 2 * this.of(subscriptionId));
    // The oldest entry is the first in the map.
    this.#known.delete(subscriptionId);
    this.#known.set(subscriptionId, next);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maximumCount.knownEndpoints && oldest !== undefined) this.#known.delete(oldest);
  }
}
