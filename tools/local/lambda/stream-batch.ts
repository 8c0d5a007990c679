import { setTimeout as sleep } from 'node:timers/promises';
import { type MappingProperties, readFailedItems } from './event-source-mapping.ts';
import type { InvocationResult } from './function-pool.ts';
import type { StreamRecord } from './shard-reader.ts';

/** Records that are discarded, and why. */
export interface DiscardedBatch {
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  readonly invokeCount: number;
  readonly result: InvocationResult;
}

export interface BatchHandling {
  readonly mapping: MappingProperties;
  readonly invoke: (records: readonly StreamRecord[]) => Promise<InvocationResult>;
  readonly discard: (batch: DiscardedBatch) => Promise<void>;
  readonly signal: AbortSignal;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Handles a batch until all its records are done or discarded. Keeps the order: the second half of a divided batch
 * waits for the first half. Dividing a batch does not count as a retry.
 */
export async function handleBatch(
  handling: BatchHandling,
  batch: readonly StreamRecord[],
  retriesSoFar = 0,
): Promise<void> {
  const { mapping, signal } = handling;
  const reportsFailures = mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false;
  let records = batch;
  for (let retries = retriesSoFar; records.length > 0 && !signal.aborted; retries += 1) {
    const result = await handling.invoke(records);
    const remaining = findRemaining(records, result, reportsFailures);
    records = remaining.records;
    if (records.length === 0) return;

    if (mapping.BisectBatchOnFunctionError && !remaining.isDivided && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      await handleBatch(handling, records.slice(0, middle), retries);
      await handleBatch(handling, records.slice(middle), retries);
      return;
    }
    const condition = findDiscardCondition(mapping, records, retries);
    if (condition) {
      await handling.discard({ records, condition, invokeCount: retries + 1, result });
      return;
    }
    await pause(retries, signal);
  }
}

/** The records to retry. `isDivided` is true if the function's reply has already divided the batch. */
interface RemainingBatch {
  readonly records: readonly StreamRecord[];
  readonly isDivided: boolean;
}

/** Lambda retries from the first failed record on, so later records do not overtake the failed one. */
function findRemaining(
  records: readonly StreamRecord[],
  result: InvocationResult,
  reportsFailures: boolean,
): RemainingBatch {
  if (result.error) return { records, isDivided: false };
  if (!reportsFailures) return { records: [], isDivided: false };
  const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const failed = readFailedItems(result.payload, numbers);
  if (failed === 'all') return { records, isDivided: false };
  const first = numbers.findIndex((number) => failed.has(number));
  return { records: first < 0 ? [] : records.slice(first), isDivided: first > 0 };
}

function findDiscardCondition(
  mapping: MappingProperties,
  records: readonly StreamRecord[],
  retries: number,
): DiscardedBatch['condition'] | undefined {
  const { MaximumRetryAttempts = -1 } = mapping;
  if (MaximumRetryAttempts >= 0 && retries >= MaximumRetryAttempts) return 'RetryAttemptsExhausted';
  return isTooOld(records, mapping) ? 'RecordAgeExceeded' : undefined;
}

function isTooOld(records: readonly StreamRecord[], { MaximumRecordAgeInSeconds = -1 }: MappingProperties): boolean {
  const oldest = records[0]?.dynamodb.ApproximateCreationDateTime ?? 0;
  return MaximumRecordAgeInSeconds > 0 && Date.now() / 1000 - oldest > MaximumRecordAgeInSeconds;
}

async function pause(retries: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}

export interface BatchOrigin {
  readonly functionArn: string;
  readonly shardId: string;
  readonly streamArn: string;
}

/**
 * Builds the message to an on-failure destination. It contains the records' position in the stream, never the records
 * themselves (Lambda developer guide, "Retain discarded records for a DynamoDB event source").
 */
export function buildDiscardMessage(batch: DiscardedBatch, { functionArn, shardId, streamArn }: BatchOrigin): object {
  const { records, condition, invokeCount, result } = batch;
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  return {
    requestContext: { requestId: result.requestId, functionArn, condition, approximateInvokeCount: invokeCount },
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      ...(result.error && { functionError: 'Unhandled' }),
    },
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: toTimestamp(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: toTimestamp(last?.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn,
    },
  };
}

function toTimestamp(epochSeconds = 0): string {
  return new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
}
