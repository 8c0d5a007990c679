import type { GivenUp } from './stream-batch.ts';

export interface FailureSource {
  readonly functionArn: string;
  readonly shardId: string;
  readonly streamArn: string;
}

function seconds(epochSeconds: number | undefined): string {
  return new Date((epochSeconds ?? 0) * 1000).toISOString().replace('.000Z', 'Z');
}

/**
 * What Lambda tells an on-failure destination about records it gave up: where they are in the stream,
 * never the records themselves (Lambda developer guide, "Retain discarded records for a DynamoDB event source").
 */
export function failureMessage(given: GivenUp, { functionArn, shardId, streamArn }: FailureSource): object {
  const { records, condition, invokeCount, result } = given;
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
      approximateArrivalOfFirstRecord: seconds(first?.ApproximateCreationDateTime),
      approximateArrivalOfLastRecord: seconds(last?.ApproximateCreationDateTime),
      batchSize: records.length,
      streamArn,
    },
  };
}
