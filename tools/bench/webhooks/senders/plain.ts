import { callAws, sqsService } from '../../../local/aws-json.ts';
import { atOnce } from '../../purchases/jobs.ts';
import { Child } from '../child-process.ts';
import { type BenchEvent, bodyOf, keyOf, secretOfKey, Topics } from '../event.ts';
import type { NewEndpoint, RegisteredEndpoint, Sender, SenderOptions, Spent } from '../sender.ts';
import type { PlainApi, PlainDelivery } from './plain-process.ts';
import type { QueueApi } from './queue-process.ts';

/** SQS takes at most ten messages in one call. */
const callLimit = 10;
const parallelCalls = 8;
const defaultPollers = 20;
/** SQS' default. It is longer than the deadline of an attempt. */
const visibilitySeconds = 30;

interface Running {
  readonly queue: Child<QueueApi>;
  readonly consumer: Child<PlainApi>;
  readonly settings: { readonly endpoint: string; readonly queueUrl: string; readonly pollers: number };
}

/**
 * The plain sender that a team would write first. It has one SQS queue. Consumers take ten messages, post them with
 * `fetch`, and delete them. A failed message becomes visible again later, and is dropped after five tries.
 */
class PlainSender implements Sender {
  #topics = new Topics<{ readonly url: string; readonly key: string }>();
  #registered = 0;
  #running: Running | undefined;

  get #parts(): Running {
    if (!this.#running) throw new Error('the plain sender was not started');
    return this.#running;
  }

  async start({ concurrency = defaultPollers }: SenderOptions): Promise<void> {
    this.#topics = new Topics();
    const queue = new Child<QueueApi>(new URL('queue-process.ts', import.meta.url));
    const endpoint = await queue.call('start');
    const { QueueUrl: queueUrl } = await callAws<{ QueueUrl: string }>(sqsService(endpoint), 'CreateQueue', {
      QueueName: 'deliveries',
      Attributes: { VisibilityTimeout: String(visibilitySeconds) },
    });
    const consumer = new Child<PlainApi>(new URL('plain-process.ts', import.meta.url));
    this.#running = { queue, consumer, settings: { endpoint, queueUrl, pollers: concurrency } };
    await consumer.call('consume', this.#parts.settings);
  }

  async registerEndpoint({ url, topic }: NewEndpoint): Promise<RegisteredEndpoint> {
    const key = keyOf(this.#registered);
    this.#registered += 1;
    this.#topics.add(topic, { url, key: key.toString() });
    return { id: url, secret: secretOfKey(key) };
  }

  async publish(events: readonly BenchEvent[]): Promise<void> {
    const messages = this.#topics
      .fanOut(events)
      .map(({ event, endpoint }): PlainDelivery => ({ ...endpoint, id: event.id, body: bodyOf(event) }));
    const calls = Array.from({ length: Math.ceil(messages.length / callLimit) }, (_, nth) =>
      messages.slice(nth * callLimit, (nth + 1) * callLimit),
    );
    await atOnce(calls, parallelCalls, (batch) => this.#send(batch));
  }

  async #send(batch: readonly PlainDelivery[]): Promise<void> {
    const { endpoint, queueUrl } = this.#parts.settings;
    const Entries = batch.map((message, nth) => ({ Id: String(nth), MessageBody: JSON.stringify(message) }));
    await callAws(sqsService(endpoint), 'SendMessageBatch', { QueueUrl: queueUrl, Entries });
  }

  /**
   * The processor time and memory of the consumer's process. The queue's process does not count: on AWS the queue is a
   * service.
   */
  stats(): Promise<Spent> {
    return this.#parts.consumer.stats();
  }

  async kill(): Promise<void> {
    await this.#parts.consumer.kill();
    await this.#parts.consumer.call('consume', this.#parts.settings);
  }

  async stop(): Promise<void> {
    await this.#running?.consumer.stop();
    await this.#running?.queue.stop();
    this.#running = undefined;
  }
}

export const sender: Sender = new PlainSender();
