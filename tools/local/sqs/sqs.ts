import { Server } from 'node:net';
import * as fauxqs from 'fauxqs';
import { type Account, resourceOf } from '../account.ts';
import { createShiftedDate, type PlatformClock } from '../clock/platform-clock.ts';
import { toUrl } from '../ports.ts';
import type { Resource } from '../template/resources.ts';
import { loadFauxqsCopy } from './fauxqs-copy.ts';

interface SendOptions {
  /** String attributes. */
  readonly messageAttributes?: Readonly<Record<string, string>> | undefined;
}

/** The messages of a queue at one instant: visible, received or hidden. */
export interface QueueState {
  /** The number of messages that a receiver would get now. */
  readonly visibleCount: number;
  /** The receipt handles of the messages that are hidden because they were received. */
  readonly received: readonly string[];
  /** When the next hidden message becomes visible, in milliseconds since the epoch. */
  readonly nextVisibleMs?: number;
}

/** A running SQS. */
export interface Sqs {
  readonly endpoint: string;
  /** Sends a message like an AWS service that has the queue as its target. */
  send(queueArn: string, body: string, options?: SendOptions): void;
  /** Returns all messages of a queue, visible or not. */
  messages(queueArn: string): readonly { readonly body: string }[];
  state(queueArn: string): QueueState;
  createQueue(queue: Resource): void;
  stop(): Promise<void>;
}

export interface SqsOptions {
  readonly account: Account;
  readonly port?: number;
  readonly clock: PlatformClock;
  readonly dataDirectory?: string | undefined;
  /** Replaces the template's value, so tests do not have to wait until a failed message becomes visible. */
  readonly visibilityTimeoutSeconds?: number | undefined;
}

/** The template's properties that have the same name as an attribute of the queue. */
const attributeNames: ReadonlySet<string> = new Set([
  'ContentBasedDeduplication',
  'DelaySeconds',
  'FifoQueue',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
]);

function toAttributeText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Converts the properties to SQS attributes. All are text; a redrive policy is JSON. */
function toQueueAttributes(properties: Readonly<Record<string, unknown>>): Record<string, string> {
  const attributes = Object.entries(properties).filter(([name]) => attributeNames.has(name));
  return Object.fromEntries(attributes.map(([name, value]) => [name, toAttributeText(value)]));
}

function listMessages(server: fauxqs.FauxqsServer, queueArn: string): { body: string }[] {
  const found = server.inspectQueue(resourceOf(queueArn))?.messages;
  if (!found) return [];
  return [...found.ready, ...found.delayed, ...found.inflight.map(({ message }) => message)];
}

function readState(server: fauxqs.FauxqsServer, queueArn: string, nowMs: number): QueueState {
  const { ready = [], delayed = [], inflight = [] } = server.inspectQueue(resourceOf(queueArn))?.messages ?? {};
  const received = inflight.filter(({ visibilityDeadline }) => visibilityDeadline > nowMs);
  const delays = delayed.map(({ delayUntil = 0 }) => delayUntil).filter((timeMs) => timeMs > nowMs);
  const hiddenUntil = [...delays, ...received.map(({ visibilityDeadline }) => visibilityDeadline)];
  return {
    visibleCount: ready.length + delayed.length + inflight.length - hiddenUntil.length,
    received: received.map(({ receiptHandle }) => receiptHandle),
    ...(hiddenUntil.length > 0 && { nextVisibleMs: hiddenUntil.reduce((first, timeMs) => Math.min(first, timeMs)) }),
  };
}

/**
 * Calls `start`, and makes the servers that it starts listen on the loopback interface only. `fauxqs` has no option for
 * that: its `host` is a part of queue URLs only.
 */
async function onLoopback<Started>(start: () => Promise<Started>): Promise<Started> {
  const { listen } = Server.prototype;
  Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
    const [options, ...rest] = args;
    const isEverywhere = Object(options).host === '0.0.0.0';
    const replaced = isEverywhere ? { ...Object(options), host: '127.0.0.1' } : options;
    return Reflect.apply(listen, this, [replaced, ...rest]);
  };
  try {
    return await start();
  } finally {
    Server.prototype.listen = listen;
  }
}

/** Starts SQS without queues. A queue's URL contains the port, so the queues are created afterwards. */
export async function startSqs(options: SqsOptions): Promise<Sqs> {
  const { account, clock, port = 0, dataDirectory, visibilityTimeoutSeconds } = options;
  const { region } = account;
  const { startFauxqs } = clock.offset ? await loadFauxqsCopy(createShiftedDate(clock.offset)) : fauxqs;
  const server = await onLoopback(() =>
    startFauxqs({
      host: '127.0.0.1',
      port,
      logger: false,
      defaultRegion: region,
      ...(dataDirectory && { dataDir: dataDirectory }),
    }),
  );
  return {
    endpoint: toUrl(server.port),
    send: (queueArn, body, { messageAttributes = {} } = {}) => {
      const attributes = Object.entries(messageAttributes).map(([name, value]) => [
        name,
        { DataType: 'String', StringValue: value },
      ]);
      server.sendMessage(resourceOf(queueArn), body, {
        region,
        messageAttributes: Object.fromEntries(attributes),
      });
    },
    messages: (queueArn) => listMessages(server, queueArn),
    state: (queueArn) => readState(server, queueArn, clock.now()),
    createQueue: (queue) => {
      const attributes = toQueueAttributes(queue.properties());
      const overridden = visibilityTimeoutSeconds !== undefined && {
        VisibilityTimeout: String(visibilityTimeoutSeconds),
      };
      server.createQueue(queue.attribute('QueueName'), { region, attributes: { ...attributes, ...overridden } });
    },
    stop: () => server.stop(),
  };
}
