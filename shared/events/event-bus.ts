import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { type CampaignDue, campaignDueName, platformSource, type RelayedEvent } from '../contracts/events.ts';
import type { PaymentWebhook } from '../payments/platform.ts';
import { requestIdOf } from '../store/table/table-client.ts';
import { sendBatches } from './send-batches.ts';

/** The bus did not accept an event. The sender has to send it again. */
export class EventNotPublishedError extends Error {
  override readonly name = 'EventNotPublishedError';
}

/** The bus that distributes events to the consumers. */
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
   * Puts events on the bus, in their order and at least once. Consumers recognise a repeated event by its id.
   *
   * @returns how many events at the beginning of the list are certainly on the bus
   * @throws the error of the client when a whole call fails
   */
  publish(events: readonly RelayedEvent[]): Promise<number> {
    return this.#send(events.map((event) => ({ ...entry(event.name, event), Time: new Date(event.occurredAt) })));
  }

  /**
   * Puts due events of campaigns on the bus, in the same form as the one-time schedules do. Otherwise like {@link
   * publish}.
   */
  publishDue(campaigns: readonly CampaignDue[]): Promise<number> {
    return this.#send(campaigns.map((due) => entry(campaignDueName, due)));
  }

  /**
   * Puts a webhook of a payment platform on the bus, with the exact text of its body.
   *
   * @throws EventNotPublishedError when the bus refused it
   */
  async publishWebhook({ source, account, body, type }: PaymentWebhook & { readonly type: string }): Promise<void> {
    const requestId = requestIdOf();
    const known = JSON.stringify({ ...(requestId !== undefined && { requestId }), account });
    const Detail = `${known.slice(0, -1)},"body":${body}}`;
    const sent = await this.#send([{ Source: source, DetailType: type, Detail }]);
    if (sent === 0) throw new EventNotPublishedError(`the bus refused a webhook of ${source} account ${account}`);
  }

  #send(entries: readonly PutEventsRequestEntry[]): Promise<number> {
    return sendBatches(entries, (batch) => this.#put(batch), this.#random);
  }

  async #put(batch: readonly PutEventsRequestEntry[]): Promise<readonly PutEventsRequestEntry[]> {
    const { FailedEntryCount, Entries = [] } = await this.#client.send(
      new PutEventsCommand({ Entries: batch.map((each) => ({ ...each, EventBusName: this.#busName })) }),
    );
    // A successful call may contain failed entries.
    return FailedEntryCount ? batch.filter((_, position) => Entries[position]?.EventId === undefined) : [];
  }
}

function entry(name: string, detail: object): PutEventsRequestEntry {
  return { Source: platformSource, DetailType: name, Detail: JSON.stringify(detail) };
}
