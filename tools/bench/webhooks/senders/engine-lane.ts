import type { EngineClock } from './engine-clock.ts';

/** How a lane hands out its messages. */
export interface LaneSettings<Message> {
  readonly clock: EngineClock;
  /** Batches that are handled at the same time. */
  readonly places: number;
  readonly batchSize: number;
  readonly handle: (batch: readonly Message[]) => Promise<unknown>;
}

/** A queue in memory, with as many batches at a time as the platform's function. */
export class Lane<Message> {
  readonly #settings: LaneSettings<Message>;
  #waiting: Message[] = [];
  #next = 0;
  #free: number;

  constructor(settings: LaneSettings<Message>) {
    this.#settings = settings;
    this.#free = settings.places;
  }

  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    if (messages.length === 0) return;
    if (delaySeconds > 0) return this.#settings.clock.after(delaySeconds * 1000, () => void this.send(messages));
    for (const message of messages) this.#waiting.push(message);
    this.#start();
  }

  #start(): void {
    const { batchSize, handle } = this.#settings;
    while (this.#free > 0 && this.#next < this.#waiting.length) {
      const batch = this.#waiting.slice(this.#next, this.#next + batchSize);
      this.#next += batch.length;
      this.#free -= 1;
      const end = (): void => {
        this.#free += 1;
        this.#start();
      };
      handle(batch).then(end, (error: unknown) => {
        console.error(error);
        end();
      });
    }
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
