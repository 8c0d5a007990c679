import type * as z from 'zod/mini';
import { type campaignDueName, type endpointDueName, platformSource } from './events.ts';
import { outboxAttribute, type Partition, partitions, type TableAccess } from './table.ts';

// Re-exported so that a consumer's declaration imports only this file.
export {
  BusEvent,
  CampaignDue,
  campaignDueName,
  EndpointDue,
  endpointDueName,
  eventNames,
  InternalEvent,
  PlatformEvent,
  ProgramTask,
  platformSource,
} from './events.ts';
export { deliveryAccess } from './table.ts';

/** Queues to which functions send messages by the queue's name. All other queues are filled by rules of the bus. */
export type QueueName = 'deliver' | 'deliverSlow' | 'endpoint' | 'program';

/**
 * The events of one-time schedules, by their `detail-type`. Each event has its own group of schedules and its own role.
 */
export type ScheduledEvent = typeof campaignDueName | typeof endpointDueName;

/** Items of the table's stream that pass a filter. The changes of one item arrive in their sequence. */
export interface StreamSource {
  readonly kind: 'stream';
  /** Lambda event filter patterns. The consumer receives the records that match at least one. */
  readonly filters: readonly Record<string, unknown>[];
  readonly batchSize: number;
  /**
   * How often a failed record is delivered again before its position goes to the dead-letter queue. `untilExpiry`: as
   * long as the stream keeps the record. Meanwhile the later records of the stream shard wait, and after some minutes
   * an alarm reports this.
   */
  readonly retries: number | 'untilExpiry';
}

/**
 * How many batches of one stream shard are handled at the same time. The records of one partition are handled in their
 * sequence.
 */
export const batchesPerShard = 4;

/** Events of the bus that match a pattern, through a queue of the consumer's own. */
export interface BusSource {
  readonly kind: 'bus';
  readonly pattern: Record<string, unknown>;
  /**
   * Selects events of the stage's partner event sources in EventBridge. Each of these sources has its own bus. When the
   * pattern is absent, the consumer receives none of their events.
   */
  readonly partnerPattern?: Record<string, unknown>;
  readonly batchSize: number;
  /** How often the queue hands a message to the consumer before it moves the message to the dead-letter queue. */
  readonly retries: number;
  /**
   * The most invocations at the same time. Because of this maximum, the backlog of one queue cannot use up the
   * concurrency of the AWS account.
   */
  readonly maxConcurrency: number;
}

/** Messages that functions send to a queue of this consumer. */
export interface QueueSource {
  readonly kind: 'queue';
  readonly queue: QueueName;
  /**
   * The bus events that a rule adds to the messages of the queue. The rule removes their envelope. When the pattern is
   * absent, no rule fills the queue.
   */
  readonly pattern?: Record<string, unknown>;
  readonly batchSize: number;
  readonly retries: number;
  /** See {@link BusSource}. */
  readonly maxConcurrency: number;
}

/** Calls at fixed times. */
export interface ScheduleSource {
  readonly kind: 'schedule';
  /** EventBridge Scheduler expression: `rate(1 minute)`, `cron(…)`. */
  readonly every: string;
}

/**
 * The minutes between two calls of a schedule.
 * @throws Error for a schedule that is neither a `rate(…)` nor a daily `cron(…)`
 */
export function minutesBetweenCalls(every: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(every) ?? [];
  const minutes = new Map([
    ['minute', 1],
    ['hour', 60],
    ['day', 1_440],
  ]);
  const length = minutes.get(unit);
  if (length !== undefined) return Number(count) * length;
  if (/^cron\(\d+ \d+ \* \* \? \*\)$/.test(every)) return 1_440;
  throw new Error(`${every} is neither a rate nor a daily time: teach minutesBetweenCalls to read it`);
}

/** A Lambda without HTTP: its source, its permissions, and the impact of its failure. */
export interface Consumer<Message extends z.ZodMiniType = z.ZodMiniType> {
  /** The folder below functions/consumers, and the name of the function. */
  readonly name: string;
  readonly source: StreamSource | BusSource | QueueSource | ScheduleSource;
  /**
   * Schema of a message: the `detail` of a bus event, or the body of a queue's message. Absent for streams and
   * schedules.
   */
  readonly message?: Message;
  /** Whether the consumer gets a queue's message as unparsed text, which includes the envelope of the bus event. */
  readonly readsText?: boolean;
  /** What fails, and for whom, while the consumer fails. It is the text of the consumer's alarms. */
  readonly impact: string;
  /** `page`: late work wakes the person on call. `ticket`, the default: late work waits for the next working day. */
  readonly severity?: 'page' | 'ticket';
  readonly timeoutSeconds: number;
  readonly access: TableAccess;
  /**
   * Whether the consumer may put messages into its dead-letter queue. It receives the URL of the dead-letter queue as
   * `DEAD_LETTER_URL`.
   */
  readonly rejects?: boolean;
  /** Queues to which the consumer may send. It receives the URLs of these queues as `QUEUE_URL_<NAME>`. */
  readonly sendsTo?: readonly QueueName[];
  /** Whether the consumer may read the secrets that the platform shares with partners' own programs. */
  readonly readsProgramSecrets?: boolean;
  /** The name of the stage's secret that the consumer may read, such as {@link syntheticSecret}. */
  readonly readsSecret?: string;
  /**
   * The log messages that cause an alarm. `impact` is the impact of the reported problem, `section` the section of the
   * runbook about it.
   */
  readonly alarmingMessages?: Readonly<Record<string, { readonly impact: string; readonly section: string }>>;
  /** The sources with which the consumer may put events on the bus. It receives the bus name as `BUS_NAME`. */
  readonly publishes?: readonly string[];
  /**
   * The event that the consumer's one-time schedules put on the bus. The consumer may create, change and delete these
   * schedules. It receives their group, role, target and dead-letter queue as `SCHEDULE_GROUP`, `SCHEDULE_ROLE_ARN`,
   * `SCHEDULE_TARGET_ARN` and `SCHEDULE_DEAD_LETTER_ARN`.
   */
  readonly schedules?: ScheduledEvent;
}

/** The secret with the test tenant of the synthetic purchase. */
export const syntheticSecret = 'synthetic-purchase';

/** The name of a stage's secret in Secrets Manager. Several stages may share one AWS account. */
export const secretNameOf = (stage: string, secret: string): string => `rewards-${stage}/${secret}`;

/**
 * Declares a consumer. Its rule, queue, dead-letter queue, alarms and Lambda are made from it. Its time-out is 30 s by
 * default.
 */
export function defineConsumer<Message extends z.ZodMiniType>({
  timeoutSeconds = 30,
  ...declaration
}: Optional<Consumer<Message>, 'timeoutSeconds'>): Consumer<Message> {
  return { ...declaration, timeoutSeconds };
}

type Optional<Type, Name extends keyof Type> = Omit<Type, Name> & Partial<Pick<Type, Name>>;

/**
 * Makes a {@link BusSource} that selects the platform's own events by their names, in batches of ten. Returns it
 * together with the schema of its messages.
 */
export function busEvents<Message extends z.ZodMiniType>(
  message: Message,
  names: readonly string[],
  { retries, maxConcurrency = 50 }: Pick<BusSource, 'retries'> & Partial<Pick<BusSource, 'maxConcurrency'>>,
): { readonly source: BusSource; readonly message: Message } {
  const pattern = { source: [platformSource], 'detail-type': names };
  return { source: { kind: 'bus', pattern, batchSize: 10, retries, maxConcurrency }, message };
}

/** The filter for new items of some partitions. */
export const insertedInto = (...among: readonly Partition[]) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: keysIn(...among) },
});

/**
 * The filter for items of a partition whose state is one of `states` after a change.
 *
 * @param before the states before the change; if it is absent, the filter also matches new items, and changes from any
 *   state
 */
export const changedTo = (partition: Partition, states: readonly string[], before?: readonly string[]) => ({
  dynamodb: {
    Keys: keysIn(partition),
    NewImage: { state: { S: states } },
    ...(before && { OldImage: { state: { S: before } } }),
  },
});

const hasEvents = { [outboxAttribute]: { M: { occurredAt: { S: [{ exists: true }] } } } };

/** The filter for new items that carry events, in some partitions. */
export const insertedWithEvents = (...among: readonly Partition[]) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: keysIn(...among), NewImage: hasEvents },
});

/**
 * The filter for changed items that carry events, in some partitions. It also matches later changes of such an item,
 * although these add no events.
 */
export const changedWithEvents = (...among: readonly Partition[]) => ({
  eventName: ['MODIFY'],
  dynamodb: { Keys: keysIn(...among), NewImage: hasEvents },
});

function keysIn(...among: readonly Partition[]) {
  return { pk: { S: among.map((partition) => ({ prefix: partitions[partition] })) } };
}
