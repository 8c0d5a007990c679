import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { type Account, arnResource } from '../account.ts';
import type { AwsJsonService } from '../aws-json.ts';
import type { Resource } from '../template/resources.ts';

interface SendOptions {
  readonly messageGroupId?: string | undefined;
  /** Text attributes. */
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** SQS, running. */
export interface Sqs {
  readonly endpoint: string;
  /** Puts a message into a queue, as a service of AWS would that targets it. */
  send(queueArn: string, body: string, options?: SendOptions): void;
  /** Every message of a queue, whether it can be received now or not. */
  messages(queueArn: string): readonly { readonly body: string }[];
  createQueue(queue: Resource): void;
  stop(): Promise<void>;
}

export interface SqsOptions {
  readonly account: Account;
  readonly port?: number;
  readonly dataDirectory?: string | undefined;
  /** Instead of what the template says: tests need not wait a minute for a message to come back. */
  readonly visibilityTimeoutSeconds?: number | undefined;
}

/** What a template's property is called as an attribute of the queue. */
const attributeNames: Readonly<Record<string, string>> = {
  ContentBasedDeduplication: 'ContentBasedDeduplication',
  DelaySeconds: 'DelaySeconds',
  FifoQueue: 'FifoQueue',
  MaximumMessageSize: 'MaximumMessageSize',
  MessageRetentionPeriod: 'MessageRetentionPeriod',
  ReceiveMessageWaitTimeSeconds: 'ReceiveMessageWaitTimeSeconds',
  RedrivePolicy: 'RedrivePolicy',
  VisibilityTimeout: 'VisibilityTimeout',
};

function attributeText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The queue's attributes as SQS takes them: all of them text, a redrive policy as JSON. */
function queueAttributes(properties: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([property, value]) => {
      const name = attributeNames[property];
      return name === undefined ? [] : [[name, attributeText(value)]];
    }),
  );
}

export function sqsService(endpoint: string): AwsJsonService {
  return { endpoint, name: 'sqs', target: 'AmazonSQS' };
}

function everyMessage(server: FauxqsServer, queueArn: string): { body: string }[] {
  const found = server.inspectQueue(arnResource(queueArn))?.messages;
  if (!found) return [];
  return [...found.ready, ...found.delayed, ...found.inflight.map(({ message }) => message)];
}

/** Starts SQS; its queues are created afterwards, because their URLs hold its port. */
export async function startSqs(options: SqsOptions): Promise<Sqs> {
  const { account, port = 0, dataDirectory, visibilityTimeoutSeconds } = options;
  const { region } = account;
  const server = await startFauxqs({
    port,
    logger: false,
    defaultRegion: region,
    ...(dataDirectory && { dataDir: dataDirectory }),
  });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    send: (queueArn, body, { messageGroupId, messageAttributes = {} } = {}) => {
      const attributes = Object.entries(messageAttributes).map(([name, value]) => [
        name,
        { DataType: 'String', StringValue: value },
      ]);
      server.sendMessage(arnResource(queueArn), body, {
        region,
        messageAttributes: Object.fromEntries(attributes),
        ...(messageGroupId && { messageGroupId }),
      });
    },
    messages: (queueArn) => everyMessage(server, queueArn),
    createQueue: (queue) => {
      const attributes = queueAttributes(queue.properties());
      const overridden = visibilityTimeoutSeconds !== undefined && {
        VisibilityTimeout: String(visibilityTimeoutSeconds),
      };
      server.createQueue(queue.attribute('QueueName'), { region, attributes: { ...attributes, ...overridden } });
    },
    stop: () => server.stop(),
  };
}
