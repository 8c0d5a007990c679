import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { sendBatches } from './send-batches.ts';

/** The queue did not take all messages: the sender must run again. */
export class MessagesNotQueuedError extends Error {
  override readonly name = 'MessagesNotQueuedError';
}

/** A queue of work, and how its messages are kept apart. */
export interface QueueSettings<Message> {
  readonly url: string;
  /** On a standard queue a group has no order: it prevents a busy group from delaying the others (fair queues). */
  readonly groupOf: (message: Message) => string;
}

/** A queue that functions send to by name. */
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
   * @param delaySeconds until a consumer can receive them, at most 900
   * @throws MessagesNotQueuedError when the queue did not take all of them; it may have taken others
   */
  async send(messages: readonly Message[], delaySeconds = 0): Promise<void> {
    const taken = await sendBatches(messages, (batch) => this.#send(batch, delaySeconds), this.#random);
    if (taken < messages.length)
      throw new MessagesNotQueuedError(`the queue took ${taken} of ${messages.length} messages`);
  }

  async #send(batch: readonly Message[], delaySeconds: number): Promise<readonly Message[]> {
    const { Failed = [] } = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#settings.url,
        Entries: batch.map((message, position) => ({
          Id: String(position),
          MessageBody: JSON.stringify(message),
          MessageGroupId: this.#settings.groupOf(message),
          DelaySeconds: delaySeconds,
        })),
      }),
    );
    return Failed.map(({ Id }) => batch[Number(Id)]).filter((message) => message !== undefined);
  }
}
