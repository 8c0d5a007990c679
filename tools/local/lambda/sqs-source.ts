import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, resourceOf } from '../account.ts';
import { type AwsJsonService, callAws, sqsService } from '../aws-json.ts';
import type { QueueState } from '../sqs/sqs.ts';
import { createFilter, type EventSource, type MappingProperties, readFailedItems } from './event-source-mapping.ts';
import type { Lambda } from './lambda.ts';
import type { QueueFaults } from './queue-faults.ts';
import { Slots } from './slots.ts';

export interface SqsSourceOptions {
  readonly account: Account;
  readonly endpoint: string;
  readonly lambda: Lambda;
  readonly mapping: MappingProperties;
  readonly faults: QueueFaults;
  readonly queueState: (queueArn: string) => QueueState;
}

/** SQS returns and deletes at most ten messages in one call. */
const callLimit = 10;
const longPollSeconds = 20;
const failurePauseMs = 200;

/** A message as SQS returns it. */
interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, MessageAttribute>>;
}

interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: string;
}

interface ReceivedMessages {
  readonly Messages?: readonly Message[];
}

/** A message as the function receives it. */
interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, object>>;
  readonly md5OfBody: string;
  readonly eventSource: string;
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

/** Delivers a queue's messages to a function: one event source mapping. */
export class SqsSource implements EventSource {
  readonly #options: SqsSourceOptions;
  readonly name: string;
  readonly #queueUrl: string;
  readonly #service: AwsJsonService;
  readonly #passesFilter: (record: object) => boolean;
  readonly #slots: Slots;
  readonly #abort = new AbortController();
  readonly #working = new Set<Promise<void>>();
  /** The failed messages that are hidden until their visibility timeout ends: message id → receipt handle. */
  readonly #failed = new Map<string, string>();
  readonly #polling: Promise<void>;

  constructor(options: SqsSourceOptions) {
    const { account, endpoint, lambda, mapping } = options;
    this.#options = options;
    this.name = resourceOf(mapping.EventSourceArn);
    this.#queueUrl = `${endpoint}/${account.id}/${this.name}`;
    this.#service = sqsService(endpoint);
    this.#passesFilter = createFilter(mapping);
    const { concurrency } = lambda.pool(mapping.FunctionName);
    this.#slots = new Slots(Math.min(mapping.ScalingConfig?.MaximumConcurrency ?? concurrency, concurrency));
    this.#polling = this.#poll();
  }

  isDrained(): boolean {
    const { visibleCount, received } = this.#options.queueState(this.#options.mapping.EventSourceArn);
    const failed = new Set(this.#failed.values());
    return visibleCount === 0 && received.every((handle) => failed.has(handle));
  }

  findNextMs(): number | undefined {
    return this.#options.queueState(this.#options.mapping.EventSourceArn).nextVisibleMs;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#polling;
    await Promise.all(this.#working);
  }

  async #poll(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      const release = await this.#slots.acquire();
      const messages = await this.#collectBatch();
      const work = this.#handle(messages).finally(release);
      this.#working.add(work);
      void work.finally(() => this.#working.delete(work));
    }
  }

  /** Waits for a first message. Then collects more until the batch is full or its window is over. */
  async #collectBatch(): Promise<Message[]> {
    const { BatchSize = 10, MaximumBatchingWindowInSeconds = 0 } = this.#options.mapping;
    const messages = [...(await this.#receive(Math.min(BatchSize, callLimit), longPollSeconds))];
    const deadline = performance.now() + MaximumBatchingWindowInSeconds * 1000;
    while (messages.length > 0 && messages.length < BatchSize && performance.now() < deadline) {
      const waitSeconds = Math.ceil((deadline - performance.now()) / 1000);
      messages.push(...(await this.#receive(Math.min(BatchSize - messages.length, callLimit), waitSeconds)));
    }
    return messages;
  }

  async #receive(count: number, waitSeconds: number): Promise<readonly Message[]> {
    const input = {
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    };
    const service = { ...this.#service, signal: this.#abort.signal };
    const call = callAws<ReceivedMessages>(service, 'ReceiveMessage', input);
    const { Messages = [] } = await call.catch(() => this.#pauseAfterFailure());
    return Messages;
  }

  async #pauseAfterFailure(): Promise<ReceivedMessages> {
    await sleep(failurePauseMs, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    return {};
  }

  async #handle(messages: readonly Message[]): Promise<void> {
    const { account, mapping } = this.#options;
    const records = messages.map((message) => toSqsRecord(message, mapping.EventSourceArn, account.region));
    const selected = records.filter((record) => this.#passesFilter(parseRecordBody(record)));
    const failed = selected.length === 0 ? new Set<string>() : await this.#invoke(selected);
    for (const { MessageId, ReceiptHandle } of messages) {
      if (failed.has(MessageId)) this.#failed.set(MessageId, ReceiptHandle);
      else this.#failed.delete(MessageId);
    }
    // Messages that the filter excludes are deleted like handled messages. Failed messages become visible again.
    await this.#delete(messages.filter(({ MessageId }) => !failed.has(MessageId)));
  }

  /** Returns the ids of the failed messages. */
  async #invoke(records: readonly SqsRecord[]): Promise<ReadonlySet<string>> {
    const { lambda, mapping, faults } = this.#options;
    if (faults.delayMs > 0) {
      await sleep(faults.delayMs, undefined, { signal: this.#abort.signal }).catch(() => undefined);
    }
    const event = { Records: records };
    if (faults.isDuplicated(this.name)) await lambda.invoke(mapping.FunctionName, event);

    const { error, payload } = await lambda.invoke(mapping.FunctionName, event);
    const identifiers = records.map(({ messageId }) => messageId);
    if (error) return new Set(identifiers);
    if (!mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures')) return new Set();
    const failed = readFailedItems(payload, identifiers);
    return failed === 'all' ? new Set(identifiers) : failed;
  }

  async #delete(messages: readonly Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += callLimit) {
      const entries = messages
        .slice(start, start + callLimit)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      const input = { QueueUrl: this.#queueUrl, Entries: entries };
      await callAws(this.#service, 'DeleteMessageBatch', input).catch(() => undefined);
    }
  }
}

function toSqsRecord(message: Message, queueArn: string, region: string): SqsRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes.map(([name, value]) => [name, toRecordAttribute(value)])),
    md5OfBody: message.MD5OfBody,
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function toRecordAttribute({ DataType, StringValue, BinaryValue }: MessageAttribute): object {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

/** Filter patterns see a JSON body as a value, and any other body as text. */
function parseRecordBody(record: SqsRecord): object {
  try {
    return { ...record, body: JSON.parse(record.body) };
  } catch {
    return record;
  }
}
