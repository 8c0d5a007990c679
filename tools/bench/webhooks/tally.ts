import { type Records, recordKind } from './arrivals.ts';

/** One delivery: an event and an endpoint that has to receive it. */
export interface Delivery {
  readonly event: number;
  readonly endpoint: number;
  /** When the event was due to be published. */
  readonly dueAt: number;
  /** When the first request arrived. */
  firstAt?: number;
  /** When a request was first answered with 2xx. */
  answeredAt?: number;
  requests: number;
  answers: number;
}

/** Joins what was published with the records of the receivers. */
export class Tally {
  readonly #deliveries = new Map<number, Delivery>();
  readonly #early = new Map<number, Delivery>();

  get deliveries(): Delivery[] {
    return [...this.#deliveries.values()];
  }

  /** Expects an event at an endpoint. Records of it may have been added before. */
  expect(event: number, endpoint: number, dueAt: number): void {
    const key = keyOf(event, endpoint);
    const { requests, answers, ...times } = this.#early.get(key) ?? { requests: 0, answers: 0 };
    this.#early.delete(key);
    this.#deliveries.set(key, { ...times, event, endpoint, dueAt, requests, answers });
  }

  /** Adds records. Records of events that are not expected, such as those of an earlier round, have no effect. */
  add({ kinds, endpoints, events, times }: Records): void {
    for (const [position, kind] of kinds.entries()) {
      const [event = 0, endpoint = 0, at = 0] = [events[position], endpoints[position], times[position]];
      const delivery = this.#find(event, endpoint);
      if (kind === recordKind.arrived) {
        delivery.firstAt ??= at;
        delivery.requests += 1;
      } else {
        delivery.answeredAt ??= at;
        delivery.answers += 1;
      }
    }
  }

  #find(event: number, endpoint: number): Delivery {
    const key = keyOf(event, endpoint);
    const known = this.#deliveries.get(key) ?? this.#early.get(key);
    if (known) return known;
    const early: Delivery = { event, endpoint, dueAt: 0, requests: 0, answers: 0 };
    this.#early.set(key, early);
    return early;
  }
}

/** More than the number of endpoints. */
const endpointLimit = 2 ** 16;
const keyOf = (event: number, endpoint: number): number => event * endpointLimit + endpoint;

/** What became of some deliveries. */
export interface Figures {
  readonly expected: number;
  readonly delivered: number;
  readonly requests: number;
  /** Answers with 2xx after the first one of a delivery. */
  readonly duplicates: number;
  /** Milliseconds from when the event was due to its first request. A delivery without one counts until the end. */
  readonly first: { readonly p50: number; readonly p99: number };
  /** Deliveries per second, from the time at which the first event was due to the last first answer. */
  readonly perSecond: number;
}

/** Counts deliveries. `endedAt` is the time until which requests were awaited. */
export function figuresOf(all: readonly Delivery[], endedAt: number): Figures {
  const first = all.map(({ firstAt = endedAt, dueAt }) => firstAt - dueAt).toSorted((one, other) => one - other);
  const answered = all.flatMap(({ answeredAt }) => (answeredAt === undefined ? [] : [answeredAt]));
  const startedAt = all.reduce((least, { dueAt }) => Math.min(least, dueAt), Number.POSITIVE_INFINITY);
  const lastAt = answered.reduce((most, at) => Math.max(most, at), startedAt);
  const sum = (count: (delivery: Delivery) => number) => all.reduce((total, one) => total + count(one), 0);
  return {
    expected: all.length,
    delivered: answered.length,
    requests: sum(({ requests }) => requests),
    duplicates: sum(({ answers }) => Math.max(0, answers - 1)),
    first: { p50: percentile(first, 0.5), p99: percentile(first, 0.99) },
    perSecond: answered.length === 0 ? 0 : (answered.length * 1_000) / (lastAt - startedAt),
  };
}

/**
 * The smallest value that at least this share of the values does not exceed (nearest rank). NaN without values.
 *
 * @param sorted in rising order
 * @param share above 0, at most 1
 */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
