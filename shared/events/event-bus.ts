import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type BusEvent, platformSource } from './platform-event.ts';
import { sendBatches } from './send-batches.ts';

/** The bus that tells the rest of the platform what happened. */
export class EventBus {
  readonly #client: EventBridgeClient;
  readonly #busName: string;
  readonly #random: () => number;

  constructor(client: EventBridgeClient, busName: string, random: () => number) {
    this.#client = client;
    this.#busName = busName;
    this.#random = random;
  }

  /**
   * Puts events on the bus, in their order. Some may arrive twice, never none: consumers know an event
   * by its id.
   *
   * @returns how many, from the first on, are certainly on the bus
   * @throws whatever a call as a whole fails with once the client has given up on it
   */
  publish(events: readonly BusEvent[]): Promise<number> {
    return sendBatches(events, (batch) => this.#put(batch), this.#random);
  }

  async #put(batch: readonly BusEvent[]): Promise<readonly BusEvent[]> {
    const { FailedEntryCount, Entries = [] } = await this.#client.send(
      new PutEventsCommand({ Entries: batch.map((event) => this.#entry(event)) }),
    );
    // Success of the call says nothing about its entries.
    return FailedEntryCount ? batch.filter((_, position) => Entries[position]?.EventId === undefined) : [];
  }

  #entry(event: BusEvent) {
    return {
      EventBusName: this.#busName,
      Source: platformSource,
      DetailType: event.name,
      Detail: JSON.stringify(event),
      Time: new Date(event.occurredAt),
    };
  }
}
