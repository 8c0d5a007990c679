import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { requestIdOf } from '../store/table/table-client.ts';
import { sendBatches } from './send-batches.ts';

/** The queue did not accept all messages. The sender has to run again. */
export class MessagesNotQueuedError extends Error {
  override readonly name = 'MessagesNotQueuedError';
}

/** A queue of work, and the groups of its messages. */
export interface QueueSettings<Message> {
  readonly url: string;
  /**
   * The group of a message. On a standard queue, groups prevent a busy group from delaying other groups (fair queues).
   * They set no order.
   */
  readonly groupOf: (message: Message) => string;
}

/** A queue to which functions send messages directly, not over the bus. */
export class MessageQueue<Message> {
  readonly #client: SQSClient;
  readonly #settings: QueueSettings<Message>;
  readonly #random: () => number;

  constructor(client: SQSClient, settings: QueueSettings<Message>, random: () => number) {
    this.#client = client;
    this.#settings = settings;
    this.#random = random;
  }

  /**
   * @param delaySeconds time until a consumer can receive the messages, at most 900
   * @throws MessagesNotQueuedError when the queue did not accept all messages; it may have accepted some
   */
  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    const taken = await sendBatches(messages, (batch) => this.#send(batch, delaySeconds), this.#random);
    if (taken < messages.length)
      throw new MessagesNotQueuedError(`the queue took ${taken} of ${messages.length} messages`);
  }

  async #send(batch: readonly Message[], delaySeconds: number): Promise<readonly Message[]> {
    const requestId = requestIdOf();
    const { Failed = [] } = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#settings.url,
        Entries: batch.map((message, position) => ({
          Id: String(position),
          MessageBody: JSON.stringify({ ...(requestId !== undefined && { requestId }), ...message }),
          MessageGroupId: this.#settings.groupOf(message),
          DelaySeconds: delaySeconds,
        })),
      }),
    );
    return Failed.map(({ Id }) => batch[Number(Id)]).filter((message) => message !== undefined);
  }
}
