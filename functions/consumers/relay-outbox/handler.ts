import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { BusEvent } from '../../../shared/contracts/events.ts';
import { once } from '../../../shared/domain/memoize.ts';
import type { EventBus } from '../../../shared/events/event-bus.ts';
import type { Log } from '../../../shared/operations/deps.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { openBus } from '../../../shared/runtime/ports.ts';
import { logger } from '../../../shared/runtime/runtime.ts';
import { newItemOf } from '../../../shared/runtime/stream-consumer.ts';
import { outboxEventOf } from '../../../shared/store/outbox/outbox.ts';

const openedBus = once(() => openBus(readConfig(process.env)));

/** Carries events from the table's stream to the bus. */
export const handler = (stream: DynamoDBStreamEvent) => relay(stream, openedBus(), logger());

/**
 * Puts a batch's events on the bus in their order, and reports the first that is not there for certain:
 * the stream then comes again from that one on. Nothing is lost and something may be told twice.
 */
export async function relay(
  { Records }: DynamoDBStreamEvent,
  bus: Pick<EventBus, 'publish'>,
  log: Log,
): Promise<DynamoDBBatchResponse> {
  const records = Records.filter(({ eventName }) => eventName === 'INSERT');
  const events = readableEvents(records, log);
  const published = await bus.publish(events);
  if (published < events.length) log.error('outbox.not_published', { published, of: events.length });

  const failed = records[published]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] };
}

/** The events up to the first record that holds none: what stands behind it must not overtake it. */
function readableEvents(records: readonly DynamoDBRecord[], log: Log): BusEvent[] {
  const events: BusEvent[] = [];
  for (const record of records) {
    try {
      events.push(outboxEventOf(newItemOf(record)));
    } catch (error) {
      log.error('outbox.unreadable', { key: record.dynamodb?.Keys, error: error as Error });
      break;
    }
  }
  return events;
}
