import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { sendBatches } from '../events/send-batches.ts';
import type { DeliveryMessage } from './delivery-message.ts';

/** Messages that the queue did not take; whoever sent them has to be run again. */
export class DeliveriesNotQueued extends Error {
  override readonly name = 'DeliveriesNotQueued';
}

/** The queue of deliveries to make. */
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
   * @param delaySeconds until a consumer gets to see them, at most 900
   * @throws DeliveriesNotQueued when some were not taken; others may have been
   */
  async send(messages: readonly DeliveryMessage[], delaySeconds = 0): Promise<void> {
    const taken = await sendBatches(messages, (batch) => this.#send(batch, delaySeconds), this.#random);
    if (taken < messages.length) throw new DeliveriesNotQueued(`${taken} of ${messages.length} deliveries queued`);
  }

  async #send(batch: readonly DeliveryMessage[], delaySeconds: number): Promise<readonly DeliveryMessage[]> {
    const { Failed = [] } = await this.#client.send(
      new SendMessageBatchCommand({
        QueueUrl: this.#queueUrl,
        Entries: batch.map((message, position) => ({
          Id: String(position),
          MessageBody: JSON.stringify(message),
          // On a standard queue a group does not order: it keeps one busy endpoint from holding up the
          // others (fair queues).
          MessageGroupId: message.subscription.subscriptionId,
          DelaySeconds: delaySeconds,
        })),
      }),
    );
    return Failed.map(({ Id }) => batch[Number(Id)]).filter((message) => message !== undefined);
  }
}
