import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, arnResource } from '../account.ts';
import { callAws } from '../aws-json.ts';
import { sqsService } from '../sqs/sqs.ts';
import { failedItems, type MappingProperties, type Running, recordFilter } from './event-source.ts';
import type { Lambda } from './lambda.ts';
import { Slots } from './slots.ts';
import { eventRecord, filterable, type Message, type SqsRecord } from './sqs-record.ts';

/** What goes wrong with queues only now and then on AWS; tests make it happen. */
export interface QueueFaults {
  /** Whether a batch of this queue is handed to the function a second time. */
  readonly duplicates: (queueName: string) => boolean;
  /** How long a batch of this queue is held back before the function gets it. */
  readonly delayMs: (queueName: string) => number;
}

export interface SqsSourceOptions {
  readonly account: Account;
  readonly endpoint: string;
  readonly lambda: Lambda;
  readonly mapping: MappingProperties;
  readonly faults: QueueFaults;
}

/** SQS hands over ten messages in one answer at most. */
const receiveLimit = 10;
const longPollSeconds = 20;
const failurePauseMs = 200;

interface Received {
  readonly Messages?: Message[];
}

/** Feeds a function from a queue: one event source mapping. */
export class SqsSource implements Running {
  readonly #options: SqsSourceOptions;
  readonly #queueName: string;
  readonly #queueUrl: string;
  readonly #passes: (record: object) => boolean;
  readonly #slots: Slots;
  readonly #ender = new AbortController();
  readonly #working = new Set<Promise<void>>();
  readonly #polling: Promise<void>;

  constructor(options: SqsSourceOptions) {
    const { account, endpoint, lambda, mapping } = options;
    this.#options = options;
    this.#queueName = arnResource(mapping.EventSourceArn);
    this.#queueUrl = `${endpoint}/${account.id}/${this.#queueName}`;
    this.#passes = recordFilter(mapping);
    const { concurrency } = lambda.pool(mapping.FunctionName);
    this.#slots = new Slots(Math.min(mapping.ScalingConfig?.MaximumConcurrency ?? concurrency, concurrency));
    this.#polling = this.#poll();
  }

  async #poll(): Promise<void> {
    while (!this.#ender.signal.aborted) {
      const release = await this.#slots.take();
      const messages = await this.#collect();
      const work = this.#handle(messages).finally(release);
      this.#working.add(work);
      void work.finally(() => this.#working.delete(work));
    }
  }

  /** Waits for a first message, then gathers more until the batch is full or its window is over. */
  async #collect(): Promise<Message[]> {
    const { BatchSize = 10, MaximumBatchingWindowInSeconds = 0 } = this.#options.mapping;
    const messages = await this.#receive(Math.min(BatchSize, receiveLimit), longPollSeconds);
    const deadline = performance.now() + MaximumBatchingWindowInSeconds * 1000;
    while (messages.length > 0 && messages.length < BatchSize && performance.now() < deadline) {
      const waitSeconds = Math.ceil((deadline - performance.now()) / 1000);
      const more = await this.#receive(Math.min(BatchSize - messages.length, receiveLimit), waitSeconds);
      messages.push(...more);
    }
    return messages;
  }

  async #receive(count: number, waitSeconds: number): Promise<Message[]> {
    const input = {
      QueueUrl: this.#queueUrl,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    };
    const call = callAws<Received>(this.#service, 'ReceiveMessage', input, this.#ender.signal);
    const { Messages = [] } = await call.catch(() => this.#afterFailure());
    return Messages;
  }

  /** A queue that cannot be asked is asked again a little later, unless the platform ends. */
  async #afterFailure(): Promise<Received> {
    await sleep(failurePauseMs, undefined, { signal: this.#ender.signal }).catch(() => undefined);
    return {};
  }

  get #service(): ReturnType<typeof sqsService> {
    return sqsService(this.#options.endpoint);
  }

  async #handle(messages: Message[]): Promise<void> {
    const { account, mapping } = this.#options;
    const records = messages.map((message) => eventRecord(message, mapping.EventSourceArn, account.region));
    const wanted = records.filter((record) => this.#passes(filterable(record)));
    const failed = wanted.length === 0 ? new Set<string>() : await this.#invoke(wanted);
    // What the filter refused is deleted like what was handled; what failed comes back by itself.
    await this.#delete(messages.filter(({ MessageId }) => !failed.has(MessageId)));
  }

  async #invoke(records: readonly SqsRecord[]): Promise<ReadonlySet<string>> {
    const { lambda, mapping, faults } = this.#options;
    const delayMs = faults.delayMs(this.#queueName);
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: this.#ender.signal }).catch(() => undefined);
    const event = { Records: records };
    if (faults.duplicates(this.#queueName)) await lambda.invoke(mapping.FunctionName, event);

    const { error, payload } = await lambda.invoke(mapping.FunctionName, event);
    const identifiers = records.map(({ messageId }) => messageId);
    if (error) return new Set(identifiers);
    if (!mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures')) return new Set();
    const failed = failedItems(payload, identifiers);
    return failed === 'all' ? new Set(identifiers) : failed;
  }

  async #delete(messages: Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += receiveLimit) {
      const entries = messages
        .slice(start, start + receiveLimit)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await callAws(this.#service, 'DeleteMessageBatch', { QueueUrl: this.#queueUrl, Entries: entries }).catch(
        () => undefined,
      );
    }
  }

  async stop(): Promise<void> {
    this.#ender.abort();
    await this.#polling;
    await Promise.all(this.#working);
  }
}
