import { cloneTable, itemsOf, requireSameItems } from './emulator.ts';
import { type Done, Sender } from './jobs.ts';
import type { RecordedRound, Recording } from './recording.ts';
import { purchase, type Shop } from './shop.ts';

/** One round of both sides, in purchases per second. */
export interface Rates {
  /** Until nothing was left to do. */
  readonly finished: number;
  /** Until the last reply. */
  readonly answered: number;
  readonly ceiling: number;
}

/** The number of requests that each side has under way. */
export interface Concurrency {
  readonly platform: number;
  readonly ceiling: number;
}

/** The two sides of the comparison: the platform on its DynamoDB Local, and the recorded writes on another. */
export class Rounds {
  readonly #shop: Shop;
  readonly #recording: Recording;
  readonly #ceilingEndpoint: string;
  readonly #shopper = new Sender();
  readonly #writer = new Sender();
  #next = 0;

  constructor(shop: Shop, recording: Recording, ceilingEndpoint: string) {
    this.#shop = shop;
    this.#recording = recording;
    this.#ceilingEndpoint = ceilingEndpoint;
  }

  get #table(): string {
    return this.#shop.platform.aws.table;
  }

  /** Makes the table of the ceiling. */
  prepare(): Promise<void> {
    const { aws } = this.#shop.platform;
    return cloneTable({
      from: aws.dynamodb,
      to: this.#ceilingEndpoint,
      table: aws.table,
      items: this.#recording.before,
    });
  }

  /** Runs the next recorded round on both sides. The sides take turns at being first. */
  async run({ isHot, purchases }: RecordedRound, concurrency: Concurrency): Promise<Rates> {
    const file = this.#recording.files[this.#next] ?? '';
    const isFirst = this.#next % 2 === 0;
    this.#next += 1;
    const early = isFirst ? await this.#replay(file, concurrency.ceiling) : undefined;
    const shopped = await purchase(this.#shop, this.#shopper, { isHot, purchases, concurrency: concurrency.platform });
    const replayed = early ?? (await this.#replay(file, concurrency.ceiling));

    const rate = (startedAt: number, endedAt: number) => (purchases * 1000) / (endedAt - startedAt);
    return {
      finished: rate(shopped.startedAt, shopped.finishedAt),
      answered: rate(shopped.startedAt, shopped.endedAt),
      ceiling: rate(replayed.startedAt, replayed.endedAt),
    };
  }

  #replay(file: string, concurrency: number): Promise<Done> {
    return this.#writer.run({
      kind: 'replay',
      endpoint: this.#ceilingEndpoint,
      table: this.#table,
      file,
      concurrency,
    });
  }

  /** @throws Error when the replayed writes left other items than the purchases did */
  async requireSameOutcome(): Promise<void> {
    requireSameItems(this.#recording.after, await itemsOf(this.#ceilingEndpoint, this.#table));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#shopper.stop(), this.#writer.stop()]);
  }
}
