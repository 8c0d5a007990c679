import { randomUUID } from 'node:crypto';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { startFauxqs } from 'fauxqs';

/** An SQS queue with the parts of an event source mapping that tests need. */
export interface TestQueue {
  readonly url: string;
  readonly endpoint: string;
  readonly client: SQSClient;
  /** Returns up to ten visible messages as a Lambda event. */
  receive(): Promise<SQSEvent>;
  /** Runs a consumer on the visible messages and deletes those that did not fail. */
  consume(handler: (event: SQSEvent) => Promise<{ batchItemFailures: { itemIdentifier: string }[] }>): Promise<number>;
  stop(): Promise<void>;
}

/** Starts SQS with one standard queue. */
export async function makeTestQueue(visibilityTimeoutSeconds = 30): Promise<TestQueue> {
  const sqs = await startFauxqs({ port: 0, logger: false });
  const { queueUrl } = sqs.createQueue(`deliver-${randomUUID()}`, {
    attributes: { VisibilityTimeout: String(visibilityTimeoutSeconds) },
  });
  // The queue's own URL contains a subdomain of localhost. Not every resolver knows such names.
  const url = new URL(new URL(queueUrl).pathname, sqs.address).href;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SQSClient({ endpoint: sqs.address, region: 'us-east-1', credentials });

  const receive = async (): Promise<SQSEvent> => {
    const wanted = { QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(wanted));
    return { Records: Messages.map(recordOf) };
  };
  return {
    url,
    endpoint: sqs.address,
    client,
    receive,
    consume: async (handler) => {
      const event = await receive();
      if (event.Records.length === 0) return 0;
      const { batchItemFailures } = await handler(event);
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const done = event.Records.filter(({ messageId }) => !failed.has(messageId));
      for (const { receiptHandle } of done) {
        await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }));
      }
      return event.Records.length;
    },
    stop: () => sqs.stop(),
  };
}

function recordOf({ MessageId, ReceiptHandle, Body, Attributes }: Message): SQSRecord {
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: (Attributes ?? {}) as unknown as SQSRecord['attributes'],
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:deliver',
    awsRegion: 'us-east-1',
  };
}

/** Builds a Lambda event from message bodies. */
export function sqsEvent(...bodies: unknown[]): SQSEvent {
  return {
    Records: bodies.map((body) =>
      recordOf({ MessageId: randomUUID(), Body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ),
  };
}
