import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { serve } from '../child-process.ts';
import { signedHeaders } from '../event.ts';

/** The body of a message: one event for one endpoint. */
export interface PlainDelivery {
  readonly url: string;
  readonly key: string;
  readonly id: string;
  readonly body: string;
}

interface Settings {
  readonly endpoint: string;
  readonly queueUrl: string;
  readonly pollers: number;
}

/** The wait after each failed try, in seconds. After the fifth try the delivery is dropped. */
const waits = [5, 30, 120, 600];
const timeoutMs = 5_000;
const batchSize = 10;
const longPollSeconds = 20;

class Consumer {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor({ endpoint, queueUrl, pollers }: Settings) {
    this.#client = new SQSClient({
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'plain', secretAccessKey: 'local' },
      requestHandler: { httpAgent: { maxSockets: pollers * 2 + batchSize } },
    });
    this.#queueUrl = queueUrl;
  }

  /** Takes a batch, delivers it, and takes the next one, without end. */
  async poll(): Promise<never> {
    for (;;) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: batchSize,
          WaitTimeSeconds: longPollSeconds,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
      );
      await this.#handle(Messages);
    }
  }

  async #handle(messages: readonly Message[]): Promise<void> {
    const isDone = await Promise.all(messages.map((message) => this.#deliver(message)));
    const done = messages.filter((_, position) => isDone[position]);
    if (done.length === 0) return;
    const Entries = done.map(({ ReceiptHandle }, nth) => ({ Id: String(nth), ReceiptHandle }));
    await this.#client.send(new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries }));
  }

  /** Returns whether the message can be deleted: it was delivered, or it was the last try. */
  async #deliver({ Body = '', ReceiptHandle, Attributes }: Message): Promise<boolean> {
    if (await post(JSON.parse(Body))) return true;
    const VisibilityTimeout = waits[Number(Attributes?.ApproximateReceiveCount) - 1];
    if (VisibilityTimeout === undefined) return true;
    await this.#client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.#queueUrl, ReceiptHandle, VisibilityTimeout }),
    );
    return false;
  }
}

async function post({ url, key, id, body }: PlainDelivery): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signedHeaders(Buffer.from(key), { id, body, atMs: Date.now() }),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

const api = {
  /** Starts the pollers. */
  consume: (settings: Settings): void => {
    const consumer = new Consumer(settings);
    for (let nth = 0; nth < settings.pollers; nth += 1) void consumer.poll();
  },
};

/** The functions of the plain sender's process. */
export type PlainApi = typeof api;

serve(api);
