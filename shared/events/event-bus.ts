import {
  type EventBridgeClient,
  EventBridgeServiceException,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import { type CampaignDue, campaignDueName, platformSource, type RelayedEvent } from '../contracts/events.ts';
import type { PaymentWebhook } from '../payments/platform.ts';
import { requestIdOf } from '../store/table/table-client.ts';
import { sendBatches } from './send-batches.ts';

/** The bus did not accept an event. The sender has to send it again. */
export class EventNotPublishedError extends Error {
  override readonly name = 'EventNotPublishedError';
}

/** The bus refuses an event, and would refuse it at every repetition. */
export class EventRefusedError extends Error {
  override readonly name = 'EventRefusedError';
}

/** What became of events that were put on the bus. */
export interface Published {
  /** How many events at the beginning of the list are certainly on the bus or refused for good. */
  readonly settled: number;
  /** The events among them that are refused for good, in their order. */
  readonly refused: readonly { readonly position: number; readonly error: EventRefusedError }[];
}

/** Receives an entry that is refused for good. */
type OnRefused = (entry: PutEventsRequestEntry, error: EventRefusedError) => void;

/**
 * The error codes for which it is useless to send the entry again. AccessDeniedException and
 * NotAuthorizedForSourceException are not in the list: the entry can be sent after the deployment is repaired.
 */
const permanentCodes: ReadonlySet<string | undefined> = new Set([
  'InvalidArgument',
  'MalformedDetail',
  'RedactionFailure',
]);

/** The errors of a call that fails because of its entries: together they are too large, or one of them is malformed. */
const errorsOfEntries: ReadonlySet<string> = new Set([
  'ValidationException',
  'SerializationException',
  'RequestEntityTooLargeException',
]);

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
   * Puts events on the bus, in their order and at least once. Consumers recognise a repeated event by its id. An event
   * that the bus refuses for good does not stop the others.
   *
   * @throws the client's error when a call to the bus fails. If an event caused the failure, that event is returned in
   *   `refused` instead
   */
  async publish(events: readonly RelayedEvent[]): Promise<Published> {
    const entries = events.map((event) => ({ ...entry(event.name, event), Time: new Date(event.occurredAt) }));
    const errors = new Map<PutEventsRequestEntry, EventRefusedError>();
    const settled = await this.#send(entries, (refused, error) => errors.set(refused, error));
    const refused = entries.slice(0, settled).flatMap((each, position) => {
      const error = errors.get(each);
      return error ? [{ position, error }] : [];
    });
    return { settled, refused };
  }

  /**
   * Puts `campaign_due` events on the bus, in the same form as the one-time schedules do.
   *
   * @returns how many events at the beginning of the list are certainly on the bus
   * @throws the error of the client when a whole call fails
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

  #send(entries: readonly PutEventsRequestEntry[], onRefused?: OnRefused): Promise<number> {
    const put = onRefused
      ? (batch: readonly PutEventsRequestEntry[]) => this.#putOrRefuse(batch, onRefused)
      : async (batch: readonly PutEventsRequestEntry[]) => (await this.#put(batch)).map((failed) => failed.entry);
    return sendBatches(entries, put, this.#random);
  }

  /**
   * Returns the entries to send again. If a call fails because of its entries, each half of the batch is sent
   * separately, and so on, until the entry that causes the failure is alone.
   */
  async #putOrRefuse(batch: readonly PutEventsRequestEntry[], onRefused: OnRefused): Promise<PutEventsRequestEntry[]> {
    try {
      const failed = await this.#put(batch);
      for (const { entry: refused, code, message } of failed.filter(({ code }) => permanentCodes.has(code))) {
        onRefused(refused, new EventRefusedError(`${code}: ${message}`));
      }
      return failed.filter(({ code }) => !permanentCodes.has(code)).map((each) => each.entry);
    } catch (error) {
      if (!isErrorOfEntries(error)) throw error;
      const [only, ...others] = batch;
      if (only && others.length === 0) {
        onRefused(only, new EventRefusedError(`${error}`));
        return [];
      }
      const half = Math.ceil(batch.length / 2);
      const left = await this.#putOrRefuse(batch.slice(0, half), onRefused);
      return [...left, ...(await this.#putOrRefuse(batch.slice(half), onRefused))];
    }
  }

  /** One call. Returns the entries that the bus did not accept: a successful call may contain failed entries. */
  async #put(batch: readonly PutEventsRequestEntry[]) {
    const { FailedEntryCount, Entries = [] } = await this.#client.send(
      new PutEventsCommand({ Entries: batch.map((each) => ({ ...each, EventBusName: this.#busName })) }),
    );
    if (!FailedEntryCount) return [];
    return batch.flatMap((each, position) => {
      const { EventId, ErrorCode: code, ErrorMessage: message } = Entries[position] ?? {};
      return EventId === undefined ? [{ entry: each, code, message }] : [];
    });
  }
}

/** Whether a call failed because of its entries, so that other entries may be accepted. */
function isErrorOfEntries(error: unknown): boolean {
  if (!(error instanceof EventBridgeServiceException)) return false;
  return errorsOfEntries.has(error.name) || error.$metadata.httpStatusCode === 413;
}

function entry(name: string, detail: object): PutEventsRequestEntry {
  return { Source: platformSource, DetailType: name, Detail: JSON.stringify(detail) };
}
