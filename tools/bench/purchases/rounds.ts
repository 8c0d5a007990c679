import { cloneTable, itemsOf, requireSameItems } from './emulator.ts';
import type { Done } from './jobs.ts';
import type { RecordedRound, Recording } from './recording.ts';
import { Side } from './side.ts';
import { purchase, type Stage } from './stage.ts';

/** One round of both sides, in purchases per second. */
export interface Rates {
  /** Until nothing was left to do. */
  readonly settled: number;
  /** Until the last reply. */
  readonly answered: number;
  readonly ceiling: number;
}

/** How many requests each side has under way. */
export interface Concurrency {
  readonly platform: number;
  readonly ceiling: number;
}

/** Both sides, ready: the platform on its DynamoDB Local, the recorded writes before another. */
export class Rounds {
  readonly #stage: Stage;
  readonly #recording: Recording;
  readonly #ceilingEndpoint: string;
  readonly #shopper = new Side();
  readonly #writer = new Side();
  #next = 0;

  constructor(stage: Stage, recording: Recording, ceilingEndpoint: string) {
    this.#stage = stage;
    this.#recording = recording;
    this.#ceilingEndpoint = ceilingEndpoint;
  }

  get #table(): string {
    return this.#stage.platform.aws.table;
  }

  /** Makes the ceiling's table. */
  prepare(): Promise<void> {
    const { aws } = this.#stage.platform;
    return cloneTable({
      from: aws.dynamodb,
      to: this.#ceilingEndpoint,
      table: aws.table,
      items: this.#recording.before,
    });
  }

  /** The next recorded round, on one side and then on the other; nobody is always the first. */
  async run({ isHot, purchases }: RecordedRound, concurrency: Concurrency): Promise<Rates> {
    const file = this.#recording.files[this.#next] ?? '';
    const isFirst = this.#next % 2 === 0;
    this.#next += 1;
    const early = isFirst ? await this.#replay(file, concurrency.ceiling) : undefined;
    const shopped = await purchase(this.#stage, this.#shopper, { isHot, purchases, concurrency: concurrency.platform });
    const replayed = early ?? (await this.#replay(file, concurrency.ceiling));

    const rate = (startedAt: number, endedAt: number) => (purchases * 1000) / (endedAt - startedAt);
    return {
      settled: rate(shopped.startedAt, shopped.settledAt),
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

  /** @throws Error when the writes that were replayed did not make of the table what the purchases made of it */
  async requireSameOutcome(): Promise<void> {
    requireSameItems(this.#recording.after, await itemsOf(this.#ceilingEndpoint, this.#table));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#shopper.stop(), this.#writer.stop()]);
  }
}
