import { percentile } from '../report.ts';

/** The kinds of records that the receivers make. */
export const recordKind = {
  /** The head of a request arrived. */
  arrived: 0,
  /** The receiver answered a request with 2xx. The event counts as delivered. */
  answered: 1,
} as const;

/** Records of the receivers, column by column, in the order in which they were made. */
export interface Records {
  readonly kinds: Uint8Array;
  readonly endpoints: Uint16Array;
  /** The numbers of the events. */
  readonly events: Uint32Array;
  /** Times of `clockMs()`. */
  readonly times: Float64Array;
}

/** One record. */
export interface ArrivalRecord {
  readonly kind: number;
  readonly endpoint: number;
  readonly event: number;
  readonly at: number;
}

/**
 * Collects records in memory of a fixed size: 15 bytes each. For one request, the receiver makes two records and no
 * object.
 */
export class ArrivalLog {
  readonly #capacity: number;
  #columns: Records;
  #length = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#columns = emptyColumns(capacity);
  }

  /** @throws RangeError when the log is full: `take()` was not called often enough */
  add({ kind, endpoint, event, at }: ArrivalRecord): void {
    if (this.#length === this.#capacity) throw new RangeError(`more than ${this.#capacity} records were not taken`);
    const { kinds, endpoints, events, times } = this.#columns;
    kinds[this.#length] = kind;
    endpoints[this.#length] = endpoint;
    events[this.#length] = event;
    times[this.#length] = at;
    this.#length += 1;
  }

  /** Returns the records since the last call. */
  take(): Records {
    const { kinds, endpoints, events, times } = this.#columns;
    const length = this.#length;
    this.#length = 0;
    return {
      kinds: kinds.slice(0, length),
      endpoints: endpoints.slice(0, length),
      events: events.slice(0, length),
      times: times.slice(0, length),
    };
  }
}

const emptyColumns = (capacity: number): Records => ({
  kinds: new Uint8Array(capacity),
  endpoints: new Uint16Array(capacity),
  events: new Uint32Array(capacity),
  times: new Float64Array(capacity),
});

/** One delivery: an event and an endpoint that has to receive it. */
export interface Delivery {
  readonly event: number;
  readonly endpoint: number;
  /** When the event was due to be published. */
  readonly dueAt: number;
  /** When the first request arrived. */
  firstAt?: number;
  /** The time of the first answer with 2xx. */
  answeredAt?: number;
  requests: number;
  answers: number;
}

/** Joins the published events with the records of the receivers. */
export class Tally {
  readonly #deliveries = new Map<number, Delivery>();
  readonly #early = new Map<number, Delivery>();

  get deliveries(): Delivery[] {
    return [...this.#deliveries.values()];
  }

  /** Expects an event at an endpoint. Records of this delivery may have been added already. */
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

/** The results of some deliveries. */
export interface Figures {
  readonly expected: number;
  readonly delivered: number;
  readonly requests: number;
  /** The number of further answers with 2xx, after the first one of each delivery. */
  readonly duplicates: number;
  /**
   * Milliseconds between the time at which the event was due and the arrival of the first request. If no request
   * arrived, the end of the round counts instead.
   */
  readonly first: { readonly p50: number; readonly p99: number };
  /** Deliveries per second, from the time at which the first event was due until the last delivery was answered. */
  readonly perSecond: number;
}

/** Counts deliveries. `endedAt` is the time at which the wait for requests ended. */
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
