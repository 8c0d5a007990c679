import { createRandom } from '../../tools/local/dynamodb/faults.ts';

/** A repeatable source of randomness: the same seed gives the same choices. */
export class Random {
  /** A number from 0 (included) to 1 (excluded). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = createRandom(seed);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param share the probability: 0 is never, 1 is always */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Chooses one of the items; undefined if there is none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  /** Chooses one of the choices in proportion to their weights; undefined if all weights are 0. */
  weighted<Choice>(choices: readonly (readonly [weight: number, choice: Choice])[]): Choice | undefined {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return undefined;
  }

  /** Returns another source of randomness. Its use does not change the choices of this one. */
  fork(): Random {
    return new Random(this.between(0, 2 ** 31));
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.between(0, 255)));
  }
}

/** How much happens at the same time in a history, and how often it concerns the same items. */
export interface Temper {
  readonly clientsAtOnce: number;
  readonly invocationsAtOnce: number;
  /** The share of requests about the same member, campaign and purchase. */
  readonly focusShare: number;
  /** How often the member, campaign and purchase of these requests change. */
  readonly changeShare: number;
  /** The share of requests that are sent in bursts. */
  readonly burstShare: number;
  /** The share of messages that are delivered twice. */
  readonly doubledShare: number;
  /** The share of invocations that are slow, so that others overtake them. */
  readonly slowShare: number;
}

export const calm: Temper = {
  ...{ clientsAtOnce: 5, invocationsAtOnce: 9, focusShare: 0.6, changeShare: 0.12 },
  ...{ burstShare: 0.25, doubledShare: 0.08, slowShare: 0.15 },
};

/** Many invocations use the same items at once. */
const crowded: Temper = {
  ...{ clientsAtOnce: 8, invocationsAtOnce: 16, focusShare: 0.9, changeShare: 0.03 },
  ...{ burstShare: 0.5, doubledShare: 0.35, slowShare: 0.5 },
};

export const tempers: readonly Temper[] = [calm, crowded];
