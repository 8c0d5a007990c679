import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { maximumCharacters } from '../contracts/limits.ts';

/** The dead-letter queue of a consumer, for messages that no repetition can help. */
export class DeadLetters {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Puts a message there, with the reason as its attribute `REASON`. */
  async add(body: string, reason: string): Promise<void> {
    const REASON = { DataType: 'String', StringValue: reason.slice(0, maximumCharacters.deadLetterReason) };
    await this.#client.send(
      new SendMessageCommand({ QueueUrl: this.#queueUrl, MessageBody: body, MessageAttributes: { REASON } }),
    );
  }
}
