import { consumer as countChanges } from '../../../functions/consumers/count-changes/consumer.ts';
import { maximumAttempts, shardCount, timingMs } from '../../../shared/contracts/limits.ts';
import { counted } from '../../cost/counted.ts';
import { quotas } from '../quotas.ts';
import { seededRandom } from '../seeded.ts';
import { tableTimes } from '../table-times.ts';

/*
 * Simulates the counters of campaigns, millisecond by millisecond, as count-once.ts writes them. Each reader of the
 * stream counts a batch of ledger entries in one transaction: it changes one counter of each campaign in the batch.
 * While a transaction changes a counter, other transactions on this counter are refused. The counters of a campaign are
 * in one partition, whose write units per second are limited. Refused writes use units too.
 */

export interface CounterLoad {
  /** The ledger entries per second of all campaigns together. */
  readonly entriesPerSecond: number;
  readonly campaigns: number;
  /** Invocations that read the stream at the same time. */
  readonly readers: number;
  /** Counters of each campaign. */
  readonly counters?: number;
  /** Whether each entry of a batch chooses its own counter, so that a batch changes many counters of a campaign. */
  readonly choosesPerEntry?: boolean;
  /** Milliseconds until a reader without records looks again. Longer pauses make larger batches. */
  readonly pauseMs?: number;
  readonly seconds?: number;
}

export interface CounterResult {
  /** The number of entries that still wait at the end, divided by the entries per second. */
  readonly secondsBehind: number;
  readonly transactions: number;
  readonly refused: number;
  /** The most write units that any partition used in one second. */
  readonly busiestSecond: number;
}

/** Write units that a transaction takes for one counter. */
const unitsPerCounter = 2;
/**
 * Ledger entries in one batch. A batch contains fewer entries than records, because each purchase also writes other
 * records.
 */
const entriesPerBatch =
  countChanges.source.kind === 'stream'
    ? countChanges.source.batchSize / (counted.journeys.purchase.functions['consumers/count-changes']?.messages ?? 1)
    : 0;

interface Reader {
  readonly position: number;
  taken: number;
  /** The campaigns of the entries that the reader counts now; empty while it waits for records. */
  batch: readonly number[];
  attempt: number;
  /** The counters that the running transaction changes. */
  held: ReadonlySet<number>;
}

/** Simulates readers that count the entries of campaigns. */
export function simulateCounters(load: CounterLoad): CounterResult {
  return new Counting(load).run();
}

class Counting {
  readonly #load: Required<CounterLoad>;
  readonly #random = seededRandom(20_261_123);
  /** The readers that act in each millisecond. */
  readonly #agenda: Reader[][];
  readonly #held = new Set<number>();
  /** Write units of each campaign's partition in the present second. */
  #units: number[] = [];
  #counted = 0;
  #busiestSecond = 0;
  #transactions = 0;
  #refused = 0;

  constructor(load: CounterLoad) {
    this.#load = { counters: shardCount.totals, choosesPerEntry: false, pauseMs: 50, seconds: 60, ...load };
    this.#agenda = Array.from({ length: this.#load.seconds * 1_000 }, () => []);
  }

  run(): CounterResult {
    for (let position = 0; position < this.#load.readers; position += 1) {
      const reader = { position, taken: 0, batch: [], attempt: 1, held: new Set<number>() };
      this.#actAt(this.#random() * this.#load.pauseMs, reader);
    }
    for (const [nowMs, acting] of this.#agenda.entries()) {
      if (nowMs % 1_000 === 0) this.#units = Array.from({ length: this.#load.campaigns }, () => 0);
      // In each millisecond, transactions end before other transactions begin.
      for (const reader of acting) this.#finish(reader);
      for (const reader of acting) this.#begin(reader, nowMs);
    }
    const { seconds, entriesPerSecond } = this.#load;
    return {
      secondsBehind: seconds - this.#counted / entriesPerSecond,
      transactions: this.#transactions,
      refused: this.#refused,
      busiestSecond: this.#busiestSecond,
    };
  }

  #actAt(atMs: number, reader: Reader): void {
    this.#agenda[Math.ceil(atMs)]?.push(reader);
  }

  #finish(reader: Reader): void {
    if (reader.held.size === 0) return;
    for (const counter of reader.held) this.#held.delete(counter);
    this.#counted += reader.batch.length;
    Object.assign(reader, { batch: [], attempt: 1, held: new Set() });
  }

  #begin(reader: Reader, nowMs: number): void {
    if (reader.batch.length === 0) reader.batch = this.#take(reader, nowMs);
    const { length } = reader.batch;
    this.#actAt(nowMs + (length === 0 ? this.#load.pauseMs : this.#transact(reader)), reader);
  }

  /** @returns milliseconds until the reader acts again */
  #transact(reader: Reader): number {
    const counters = this.#chooseCounters(reader.batch);
    const takesMs = tableTimes.transactionMs(reader.batch.length + counters.size);
    this.#transactions += 1;
    if (!this.#isAccepted(counters)) return takesMs / 2 + this.#pauseAfterRefusal(reader);
    for (const counter of counters) this.#held.add(counter);
    reader.held = counters;
    return takesMs;
  }

  /** Returns the campaigns of the entries that have arrived at a reader, at most one batch. */
  #take(reader: Reader, nowMs: number): number[] {
    const { entriesPerSecond, readers, campaigns } = this.#load;
    const arrived = Math.floor(((nowMs / 1_000) * entriesPerSecond + reader.position) / readers);
    const length = Math.min(arrived - reader.taken, entriesPerBatch);
    reader.taken += length;
    return Array.from({ length }, () => Math.floor(this.#random() * campaigns));
  }

  #chooseCounters(batch: readonly number[]): Set<number> {
    const { counters, choosesPerEntry } = this.#load;
    const choose = () => Math.floor(this.#random() * counters);
    const chosen = choose();
    return new Set(batch.map((campaign) => campaign * counters + (choosesPerEntry ? choose() : chosen)));
  }

  /** A refused transaction uses units too, unless a partition has no units left in this second. */
  #isAccepted(counters: ReadonlySet<number>): boolean {
    let isThrottled = false;
    for (const counter of counters) {
      const campaign = Math.floor(counter / this.#load.counters);
      const units = (this.#units[campaign] ?? 0) + unitsPerCounter;
      isThrottled ||= units > quotas.partitionWrites.value;
      this.#units[campaign] = Math.min(units, quotas.partitionWrites.value);
      this.#busiestSecond = Math.max(this.#busiestSecond, this.#units[campaign] ?? 0);
    }
    return !isThrottled && ![...counters].some((counter) => this.#held.has(counter));
  }

  /** The pause of a reader after a refusal. After the last attempt, the batch is delivered again. */
  #pauseAfterRefusal(reader: Reader): number {
    this.#refused += 1;
    if (reader.attempt === maximumAttempts.write) {
      reader.attempt = 1;
      return this.#load.pauseMs;
    }
    const longest = Math.min(timingMs.longestWritePause, timingMs.firstWritePause * 2 ** reader.attempt);
    reader.attempt += 1;
    return this.#random() * longest;
  }
}
