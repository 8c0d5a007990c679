import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { sendBatches } from '../events/send-batches.ts';
import type { DeliveryMessage } from './subscription.ts';

/** The queue did not take all messages: the sender must run again. */
export class DeliveriesNotQueuedError extends Error {
  override readonly name = 'DeliveriesNotQueuedError';
}

/** The queue of attempts to make. */
export class DeliverQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #random: () => number;

  constructor(client: SQSClient, queueUrl: string, random: () => number) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#random = random;
  }

  /**
   * @param delaySeconds until a consumer can receive them, at most 900
   * @throws DeliveriesNotQueuedError when the queue did not take all of them; it may have taken others
   */
  async send(messages: readonly DeliveryMessage[], delaySeconds = 0): Promise<void> {
    const taken = await sendBatches(messages, (batch) => this.#send(batch, delaySeconds), this.#random);
    if (taken < messages.length)
      throw new DeliveriesNotQueuedError(`the queue took ${taken} of ${messages.length} deliveries`);
  }

  async #send(batch: readonly DeliveryMessage[], delaySeconds: number): Promise<readonly DeliveryMessage[]> {
    const { Failed = [] } = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: batch.map((message, position) => ({
          Id: String(position),
          MessageBody: JSON.stringify(message),
          // On a standard queue a group has no order: it prevents a busy endpoint from delaying the others (fair queues).
          MessageGroupId: message.subscription.subscriptionId,
          DelaySeconds: delaySeconds,
        })),
      }),
    );
    return Failed.map(({ Id }) => batch[Number(Id)]).filter((message) => message !== undefined);
  }
}
