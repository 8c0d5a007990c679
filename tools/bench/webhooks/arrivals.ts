/** What a record of the receivers means. */
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
 * Collects records in memory of a fixed size: 15 bytes each. A request costs the receiver two of them and no object.
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
