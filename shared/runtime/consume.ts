import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { logger } from './log.ts';

/** A consumer of a queue's messages. */
export interface MessageConsumer<Schema extends z.ZodMiniType, Deps> {
  /** What a message's body has to be, once parsed as JSON. */
  readonly message: Schema;
  /** Makes what `handle` works with, when the first batch comes. */
  readonly deps: () => Deps;
  /** Handles one message; others of its batch are handled at the same time. What it throws sends the message back. */
  readonly handle: (message: z.infer<Schema>, deps: Deps, log: Logger) => Promise<void>;
}

/** The schema of a message that a rule of the bus put into a queue. */
export const busMessage = <Detail extends z.ZodMiniType>(detail: Detail) => z.object({ detail });

/**
 * The Lambda of a queue consumer. A message that fails, or is not what the schema says, is reported by
 * itself and comes again until it ends in the dead-letter queue; the log has the reason.
 */
export function consume<Schema extends z.ZodMiniType, Deps>(consumer: MessageConsumer<Schema, Deps>) {
  return async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const log = logger();
    if (context) log.addContext(context);

    const processor = new BatchProcessor(EventType.SQS, { logger: log });
    // Never thrown, not even when all of them fail: Lambda would poll the queue less for everybody.
    return processPartialResponse(event, (record: SQSRecord) => handleRecord(record, consumer, log), processor, {
      processInParallel: true,
      throwOnFullBatchFailure: false,
    });
  };
}

async function handleRecord<Schema extends z.ZodMiniType, Deps>(
  { messageId, body }: SQSRecord,
  { message, deps, handle }: MessageConsumer<Schema, Deps>,
  log: Logger,
): Promise<void> {
  try {
    await handle(message.parse(JSON.parse(body)), deps(), log);
  } catch (error) {
    log.error('message.failed', { messageId, error: error as Error });
    throw error;
  }
}
