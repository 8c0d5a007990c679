import type { DynamoDBStreamEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { handler as claimPayments } from '../../functions/consumers/claim-payments/handler.ts';
import { handler as countChanges } from '../../functions/consumers/count-changes/handler.ts';
import { handler as ingestPayment } from '../../functions/consumers/ingest-payment/handler.ts';
import { handler as postToProgram } from '../../functions/consumers/post-to-program/handler.ts';
import { handler as processRegistration } from '../../functions/consumers/process-registration/handler.ts';
import { handler as processTrigger } from '../../functions/consumers/process-trigger/handler.ts';
import { handler as relayOutbox } from '../../functions/consumers/relay-outbox/handler.ts';
import { handler as settlePurchase } from '../../functions/consumers/settle-purchase/handler.ts';
import { handler as syncWithProgram } from '../../functions/consumers/sync-with-program/handler.ts';
import { consumers } from '../../functions/consumers.ts';
import type { BusSource, Consumer } from '../../shared/contracts/consumer.ts';
import { createFilter } from '../../tools/local/lambda/event-source-mapping.ts';
import type { StreamRecord } from '../../tools/local/lambda/shard-reader.ts';
import { aContext } from '../support/call.ts';
import type { Random, Temper } from './random.ts';
import type { Ending, Simulation } from './simulation.ts';
import type { SoakTable } from './tables.ts';

/**
 * The stream, the bus and the queues between the functions. As on AWS, they deliver at least once, late and in any
 * order. Only the records of one partition of the stream stay in order.
 */

type Failures = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };
type Handler<Event> = (event: Event, context: typeof aContext) => Promise<Failures | undefined>;

const queueHandlers: Readonly<Record<string, Handler<SQSEvent>>> = {
  'settle-purchase': settlePurchase,
  'process-trigger': processTrigger,
  'process-registration': processRegistration,
  'sync-with-program': syncWithProgram,
  'post-to-program': postToProgram,
  'ingest-payment': ingestPayment,
  'claim-payments': claimPayments,
};

const streamHandlers: Readonly<Record<string, Handler<DynamoDBStreamEvent>>> = {
  'relay-outbox': relayOutbox,
  'count-changes': async (event) => void (await countChanges(event)),
};

/** Consumers that the soak test leaves out, because they move no points. */
export const leftOut: Readonly<Record<string, string>> = {
  'fan-out-event': 'sends webhooks',
  'deliver-webhook': 'sends webhooks',
  'deliver-slow-webhook': 'sends webhooks',
  'resume-endpoint': 'sends webhooks',
  'sweep-endpoints': 'sends webhooks',
  'finish-revocation': 'ends tokens',
  'index-member': 'lets operators find members',
  'schedule-campaign': 'sets the schedules of campaigns',
  'advance-campaign': 'announces that campaigns start and end',
  'sweep-campaigns': 'announces that campaigns start and end',
  'measure-backlogs': 'only measures',
  'synthetic-purchase': 'calls the hosts by HTTPS, as a merchant',
  'reconcile-daily': 'changes nothing; the soak has checks of its own',
};

/** The consumers that the soak test runs: consumers of queues and streams, and functions that a schedule calls. */
export const taken = [
  ...Object.keys(queueHandlers),
  ...Object.keys(streamHandlers),
  'release-expired',
  'retry-postings',
];

interface Message {
  readonly body: string;
  availableAt: number;
  receives: number;
}

interface Queue {
  readonly consumer: Consumer;
  readonly handler: Handler<SQSEvent>;
  readonly batchSize: number;
  readonly accepts: (envelope: object) => boolean;
  messages: Message[];
}

interface Change {
  readonly position: number;
  readonly partition: string;
  readonly record: StreamRecord;
}

interface Stream {
  readonly consumer: Consumer;
  readonly handler: Handler<DynamoDBStreamEvent>;
  readonly accepts: (record: object) => boolean;
  /** The records that wait, in the order of the stream. */
  waiting: Change[];
  /** The partitions whose records are being handled now. */
  readonly busy: Set<string>;
}

/** The share of deliveries that are late, so that others overtake them. */
const lateShare = 0.1;
/** The most records in one batch. A batch can contain records of several partitions. */
const largestBatch = 12;
const batchesAtOnce = 3;

export interface DeliveryParts {
  readonly random: Random;
  readonly temper: Temper;
  readonly simulation: Simulation;
  /** Whether messages are sometimes doubled and late. */
  readonly isUnreliable: () => boolean;
  readonly table: Pick<SoakTable, 'readChanges'>;
  /** Receives the changes of the table, in the order in which they happened. */
  readonly watch: (record: StreamRecord) => void;
  readonly trace: (line: string) => void;
}

export class Deliveries {
  readonly #parts: DeliveryParts;
  readonly #queues: readonly Queue[];
  readonly #streams: readonly Stream[];
  #records = 0;
  #inFlight = 0;
  /** The number of deliveries of messages and batches so far. */
  count = 0;
  /** The bodies of messages that consumers put into their dead-letter queues. */
  readonly rejected: string[] = [];
  /** The latest error of each consumer. */
  readonly failures = new Map<string, unknown>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#queues = Object.entries(queueHandlers).map(([name, handler]) => {
      const consumer = consumerOf(name);
      const { source } = consumer;
      if (source.kind !== 'bus' && source.kind !== 'queue') throw new Error(`${name} has no queue`);
      const accepts = source.kind === 'bus' ? filterOf(patternsOf(source)) : () => false;
      return { consumer, handler, batchSize: source.batchSize, accepts, messages: [] };
    });
    this.#streams = Object.entries(streamHandlers).map(([name, handler]) => {
      const consumer = consumerOf(name);
      const { source } = consumer;
      if (source.kind !== 'stream') throw new Error(`${name} does not read the stream`);
      return { consumer, handler, accepts: filterOf(source.filters), waiting: [], busy: new Set<string>() };
    });
  }

  /** Puts events on the bus: every queue whose rule accepts them receives a message. */
  readonly publish = (input: unknown): object => {
    const { Entries } = input as { readonly Entries: readonly BusEntry[] };
    for (const { Source, DetailType, Detail } of Entries) {
      this.deliverToBus({ source: Source, 'detail-type': DetailType, detail: JSON.parse(Detail) });
    }
    return { FailedEntryCount: 0, Entries: Entries.map(() => ({ EventId: 'event' })) };
  };

  /** Delivers an envelope to every queue whose rule accepts it. */
  deliverToBus(envelope: object): void {
    for (const queue of this.#queues.filter(({ accepts }) => accepts(envelope))) {
      this.#send(queue, JSON.stringify(envelope));
      if (this.#happens(this.#parts.temper.doubledShare)) this.#send(queue, JSON.stringify(envelope));
    }
  }

  /** Puts messages into the queue of partners' programs, or one message into a dead-letter queue. */
  readonly send = (input: unknown): object => {
    const { Entries, MessageBody } = input as Partial<QueueInput>;
    if (!Entries) this.rejected.push(String(MessageBody));
    const queue = this.#queues.find(({ consumer: { source } }) => source.kind === 'queue');
    for (const { MessageBody: body, DelaySeconds } of queue ? (Entries ?? []) : []) {
      if (queue) this.#send(queue, body, DelaySeconds * 1_000);
      if (queue && this.#happens(this.#parts.temper.doubledShare)) this.#send(queue, body, DelaySeconds * 1_000);
    }
    return {};
  };

  #send(queue: Queue, body: string, delayMs = 0): void {
    queue.messages.push({ body, availableAt: Date.now() + delayMs + this.#delayMs(), receives: 0 });
  }

  #happens(share: number): boolean {
    return this.#parts.isUnreliable() && this.#parts.random.chance(share);
  }

  #delayMs(): number {
    return this.#happens(lateShare) ? this.#parts.random.between(1_000, 600_000) : 0;
  }

  /** Reads the latest changes of the table from its stream. */
  async readStream(): Promise<void> {
    for (const record of await this.#parts.table.readChanges()) {
      this.#parts.watch(record);
      const partition = partitionOf(record);
      const position = ++this.#records;
      for (const stream of this.#streams.filter(({ accepts }) => accepts(record))) {
        stream.waiting.push({ position, partition, record });
      }
    }
  }

  /** Whether something can be delivered now. */
  get isReady(): boolean {
    return this.#readyQueues().length > 0 || this.#readyStreams().length > 0;
  }

  /** Whether something waits or is being handled. */
  get isBusy(): boolean {
    return (
      this.#inFlight > 0 ||
      this.#queues.some(({ messages }) => messages.length > 0) ||
      this.#streams.some(({ waiting }) => waiting.length > 0)
    );
  }

  /** When the next message can be delivered; undefined when none waits. */
  get nextAt(): number | undefined {
    const times = this.#queues.flatMap(({ messages }) => messages.map(({ availableAt }) => availableAt));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The messages that wait, with the number of their deliveries. */
  get waiting(): string[] {
    return this.#queues.flatMap(({ consumer, messages }) =>
      messages.map(({ body, receives }) => `${consumer.name}, after ${receives} deliveries: ${body}`),
    );
  }

  #readyQueues(): Queue[] {
    return this.#queues.filter(({ messages }) => messages.some(isAvailable));
  }

  #readyStreams(): Stream[] {
    return this.#streams.filter(
      ({ waiting, busy }) => busy.size < batchesAtOnce && waiting.some(({ partition }) => !busy.has(partition)),
    );
  }

  /** Delivers one batch to one consumer. */
  async deliver(): Promise<void> {
    const queues = this.#readyQueues().map((queue) => () => this.#deliverMessages(queue));
    const streams = this.#readyStreams().map((stream) => () => this.#deliverRecords(stream));
    await this.#parts.random.pick([...queues, ...streams])?.();
  }

  async #deliverMessages(queue: Queue): Promise<void> {
    const { random } = this.#parts;
    const available = queue.messages.filter(isAvailable);
    const most = Math.min(queue.batchSize, available.length, 4);
    const count = random.between(1, most);
    const batch: Message[] = [];
    for (let taken_ = 0; taken_ < count; taken_ += 1) {
      const rest = available.filter((message) => !batch.includes(message));
      const next = random.pick(rest);
      if (next) batch.push(next);
    }
    queue.messages = queue.messages.filter((message) => !batch.includes(message));
    const receivedAt = Date.now();
    const Records = batch.map(({ body }, position) => ({ messageId: String(position), body }) as SQSRecord);
    const { name, timeoutSeconds } = queue.consumer;
    await this.#start<Failures | undefined>(
      { name, timeoutSeconds, run: () => queue.handler({ Records }, aContext) },
      (ending) => {
        const failed = failedOf(ending);
        for (const [position, message] of batch.entries()) {
          const isFailed = failed === 'all' || failed.includes(String(position));
          if (isFailed) this.#return(queue, message, receivedAt);
          else if (this.#happens(this.#parts.temper.doubledShare)) this.#send(queue, message.body);
        }
      },
    );
  }

  /**
   * Returns a message to the queue: it is visible again at the end of its visibility timeout
   * (infra/constructs/queues.ts).
   */
  #return(queue: Queue, message: Message, receivedAt: number): void {
    const availableAt = Math.max(Date.now(), receivedAt + 6 * queue.consumer.timeoutSeconds * 1_000);
    queue.messages.push({ ...message, receives: message.receives + 1, availableAt });
  }

  async #deliverRecords(stream: Stream): Promise<void> {
    const count = this.#parts.random.between(1, largestBatch);
    const batch = stream.waiting.filter(({ partition }) => !stream.busy.has(partition)).slice(0, count);
    stream.waiting = stream.waiting.filter((one) => !batch.includes(one));
    for (const { partition } of batch) stream.busy.add(partition);
    const { name, timeoutSeconds } = stream.consumer;
    const event = { Records: batch.map(({ record }) => record) } as unknown as DynamoDBStreamEvent;
    await this.#start<Failures | undefined>(
      { name, timeoutSeconds, run: () => stream.handler(event, aContext) },
      (ending) => {
        for (const { partition } of batch) stream.busy.delete(partition);
        const again = this.#happens(this.#parts.temper.doubledShare)
          ? batch
          : batch.slice(firstFailed(batch, failedOf(ending)));
        stream.waiting = [...again, ...stream.waiting].sort((one, other) => one.position - other.position);
      },
    );
  }

  async #start<Result>(
    { name, timeoutSeconds, run }: { name: string; timeoutSeconds: number; run: () => Promise<Result> },
    ended: (ending: Ending<Result>) => void,
  ): Promise<void> {
    this.count += 1;
    this.#inFlight += 1;
    await this.#parts.simulation.start<Result>({
      name,
      timeoutMs: timeoutSeconds * 1_000,
      run,
      ended: (ending) => {
        this.#inFlight -= 1;
        ended(ending);
      },
    });
  }
}

interface QueueInput {
  readonly Entries: readonly { readonly MessageBody: string; readonly DelaySeconds: number }[];
  readonly MessageBody: string;
}

interface BusEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

const isAvailable = ({ availableAt }: Message) => availableAt <= Date.now();

function consumerOf(name: string): Consumer {
  const found = consumers.find((one) => one.name === name);
  if (!found) throw new Error(`there is no consumer ${name}`);
  return found;
}

const patternsOf = ({ pattern, partnerPattern }: BusSource) => (partnerPattern ? [pattern, partnerPattern] : [pattern]);

function filterOf(patterns: readonly object[]): (record: object) => boolean {
  const Filters = patterns.map((pattern) => ({ Pattern: JSON.stringify(pattern) }));
  return createFilter({ FilterCriteria: { Filters } });
}

function failedOf(ending: Ending<Failures | undefined>): readonly string[] | 'all' {
  if (ending.kind !== 'returned') return 'all';
  return (ending.result?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
}

/** Returns the position of the first record that failed. The stream continues there. */
function firstFailed(batch: readonly Change[], failed: readonly string[] | 'all'): number {
  if (failed === 'all') return 0;
  const position = batch.findIndex(({ record }) => failed.includes(record.dynamodb.SequenceNumber));
  return position < 0 ? batch.length : position;
}

function partitionOf({ dynamodb }: StreamRecord): string {
  const { Keys } = dynamodb as unknown as { readonly Keys: { readonly pk: { readonly S: string } } };
  return Keys.pk.S;
}
