import type * as z from 'zod/mini';
import type { TableAccess } from './table.ts';

/** The queues that functions send to by name; every other queue is fed by a rule. */
export type QueueName = 'deliver';

/** Items of the table's stream that pass a filter, in order per item. */
export interface StreamSource {
  readonly kind: 'stream';
  /** Lambda event filter patterns; a record that passes none is not handed over. */
  readonly filters: readonly Record<string, unknown>[];
  readonly batchSize: number;
}

/** Events of the bus that match a pattern, by way of a queue of the consumer's own. */
export interface BusSource {
  readonly kind: 'bus';
  readonly pattern: Record<string, unknown>;
  readonly batchSize: number;
  /** Receives before a message goes to the dead-letter queue. */
  readonly retries: number;
  readonly maxConcurrency?: number;
}

/** Messages that functions of ours send to a queue that this consumer owns. */
export interface QueueSource {
  readonly kind: 'queue';
  readonly queue: QueueName;
  readonly batchSize: number;
  readonly retries: number;
  readonly maxConcurrency?: number;
}

/** A tick of the clock. */
export interface ScheduleSource {
  readonly kind: 'schedule';
  /** EventBridge Scheduler expression: `rate(1 minute)`, `cron(…)`. */
  readonly every: string;
}

/** A Lambda that is not called over HTTP: what it hears, what it may touch and what breaks without it. */
export interface Consumer<Message extends z.ZodMiniType = z.ZodMiniType> {
  /** The folder below functions/consumers, and the name of the function. */
  readonly name: string;
  readonly source: StreamSource | BusSource | QueueSource | ScheduleSource;
  /** What a message is: the `detail` of a bus event, the body of a queue's message. Streams and schedules have none. */
  readonly message?: Message;
  /** What breaks for whom while this consumer fails: the text of its alarms. */
  readonly impact: string;
  readonly timeoutSeconds: number;
  readonly access: TableAccess;
  /** Queues it may send to; their URLs arrive as `QUEUE_URL_<NAME>`. */
  readonly sendsTo?: readonly QueueName[];
  /** Whether it may put events on the bus, whose name arrives as `BUS_NAME`. */
  readonly publishes?: boolean;
  /**
   * Whether it may set, move and take back the one-time schedules that tell the bus when something is due;
   * their group, role, target and dead-letter queue arrive as `SCHEDULE_GROUP`, `SCHEDULE_ROLE_ARN`,
   * `SCHEDULE_TARGET_ARN` and `SCHEDULE_DEAD_LETTER_ARN`.
   */
  readonly schedules?: boolean;
}

/** Declares a consumer; infra makes the rule, queue, dead-letter queue, alarms and Lambda from it. */
export function defineConsumer<Message extends z.ZodMiniType>(consumer: Consumer<Message>): Consumer<Message> {
  return consumer;
}
