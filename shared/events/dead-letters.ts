import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { maximumCharacters } from '../contracts/limits.ts';

/** The dead-letter queue of a consumer, for messages that would fail at every repetition. */
export class DeadLetters {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Puts a message into the dead-letter queue. The attribute `REASON` of the message is the reason. */
  async add(body: string, reason: string): Promise<void> {
    const REASON = { DataType: 'String', StringValue: reason.slice(0, maximumCharacters.deadLetterReason) };
    await this.#client.send(
      new SendMessageCommand({ QueueUrl: this.#queueUrl, MessageBody: body, MessageAttributes: { REASON } }),
    );
  }
}
