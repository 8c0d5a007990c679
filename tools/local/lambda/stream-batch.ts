import { setTimeout as sleep } from 'node:timers/promises';
import { failedItems, type MappingProperties } from './event-source.ts';
import type { InvocationResult } from './function-pool.ts';
import type { StreamRecord } from './stream-shard.ts';

/** Why records were given up, as the on-failure destination is told. */
export interface GivenUp {
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'RecordAgeExceeded';
  readonly invokeCount: number;
  readonly result: InvocationResult;
}

export interface BatchHandling {
  readonly mapping: MappingProperties;
  readonly invoke: (records: readonly StreamRecord[]) => Promise<InvocationResult>;
  readonly giveUp: (given: GivenUp) => Promise<void>;
  readonly signal: AbortSignal;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** The records that must be tried again, and whether the answer itself already divided the batch. */
interface Remainder {
  readonly records: readonly StreamRecord[];
  readonly divided: boolean;
}

/** Lambda retries from the earliest record that failed: what comes after it must not overtake it. */
function remainder(records: readonly StreamRecord[], result: InvocationResult, reports: boolean): Remainder {
  if (result.error) return { records, divided: false };
  if (!reports) return { records: [], divided: false };
  const numbers = records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const failed = failedItems(result.payload, numbers);
  if (failed === 'all') return { records, divided: false };
  const first = numbers.findIndex((number) => failed.has(number));
  return { records: first < 0 ? [] : records.slice(first), divided: first > 0 };
}

function tooOld(records: readonly StreamRecord[], { MaximumRecordAgeInSeconds = -1 }: MappingProperties): boolean {
  const oldest = records[0]?.dynamodb.ApproximateCreationDateTime ?? 0;
  return MaximumRecordAgeInSeconds > 0 && Date.now() / 1000 - oldest > MaximumRecordAgeInSeconds;
}

function verdict(
  handling: BatchHandling,
  records: readonly StreamRecord[],
  retries: number,
): GivenUp['condition'] | 'retry' {
  const { MaximumRetryAttempts = -1 } = handling.mapping;
  if (MaximumRetryAttempts >= 0 && retries >= MaximumRetryAttempts) return 'RetryAttemptsExhausted';
  return tooOld(records, handling.mapping) ? 'RecordAgeExceeded' : 'retry';
}

async function pause(retries: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** retries);
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}

/**
 * Handles a batch to its end: done, or given up. Order is kept: the second half of a divided batch
 * waits for the first. Dividing does not use up retries.
 */
export async function handleBatch(
  handling: BatchHandling,
  batch: readonly StreamRecord[],
  retriesSoFar = 0,
): Promise<void> {
  const { mapping, signal } = handling;
  const reports = mapping.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false;
  let records = batch;
  for (let retries = retriesSoFar; records.length > 0 && !signal.aborted; retries += 1) {
    const result = await handling.invoke(records);
    const rest = remainder(records, result, reports);
    records = rest.records;
    if (records.length === 0) return;

    if (mapping.BisectBatchOnFunctionError && !rest.divided && records.length > 1) {
      const middle = Math.ceil(records.length / 2);
      await handleBatch(handling, records.slice(0, middle), retries);
      await handleBatch(handling, records.slice(middle), retries);
      return;
    }
    const condition = verdict(handling, records, retries);
    if (condition !== 'retry') {
      await handling.giveUp({ records, condition, invokeCount: retries + 1, result });
      return;
    }
    await pause(retries, signal);
  }
}
