import { AwsJsonError, type AwsJsonService, callAws } from '../aws-json.ts';

/** A change of an item, as the stream tells it and, with its source, as the function sees it. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventVersion: string;
  readonly awsRegion: string;
  readonly userIdentity?: object;
  readonly dynamodb: { readonly SequenceNumber: string; readonly ApproximateCreationDateTime: number };
}

export interface Shard {
  readonly ShardId: string;
  readonly ParentShardId?: string;
}

/** Shards of a stream, parents before their children. */
export async function listShards(service: AwsJsonService, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let last: string | undefined;
  do {
    const page = { StreamArn: streamArn, ...(last && { ExclusiveStartShardId: last }) };
    const { StreamDescription } = await callAws<{
      StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string };
    }>(service, 'DescribeStream', page);
    shards.push(...StreamDescription.Shards);
    last = StreamDescription.LastEvaluatedShardId;
  } while (last);
  return shards;
}

/**
 * What DynamoDB's own deletion of expired items looks like on AWS.
 * DynamoDB Local names it UNKNOWN_TO_SDK_VERSION and does not say who did it.
 */
function asOnAws(record: StreamRecord): StreamRecord {
  if (record.eventName !== 'UNKNOWN_TO_SDK_VERSION') return record;
  return { ...record, eventName: 'REMOVE', userIdentity: { principalId: 'dynamodb.amazonaws.com', type: 'Service' } };
}

/** Reads one shard from a position on, record after record. */
export class ShardReader {
  readonly #service: AwsJsonService;
  readonly #position: object;
  #iterator: string | undefined;
  #lastSequenceNumber: string | undefined;

  constructor(service: AwsJsonService, streamArn: string, shardId: string, startingPosition: string) {
    this.#service = service;
    this.#position = { StreamArn: streamArn, ShardId: shardId, ShardIteratorType: startingPosition };
  }

  async #open(): Promise<string | undefined> {
    const resume = this.#lastSequenceNumber && {
      ShardIteratorType: 'AFTER_SEQUENCE_NUMBER',
      SequenceNumber: this.#lastSequenceNumber,
    };
    const input = { ...this.#position, ...resume };
    const { ShardIterator } = await callAws<{ ShardIterator?: string }>(this.#service, 'GetShardIterator', input);
    return ShardIterator;
  }

  /** The next records; `closed` once the shard has ended and was read to its end. */
  async next(limit: number, signal: AbortSignal): Promise<{ records: StreamRecord[]; closed: boolean }> {
    this.#iterator ??= await this.#open();
    if (this.#iterator === undefined) return { records: [], closed: true };
    const input = { ShardIterator: this.#iterator, Limit: limit };
    try {
      const page = await callAws<{ Records: StreamRecord[]; NextShardIterator?: string }>(
        this.#service,
        'GetRecords',
        input,
        signal,
      );
      this.#iterator = page.NextShardIterator;
      this.#lastSequenceNumber = page.Records.at(-1)?.dynamodb.SequenceNumber ?? this.#lastSequenceNumber;
      return { records: page.Records.map(asOnAws), closed: page.NextShardIterator === undefined };
    } catch (error) {
      // Iterators live for 15 minutes, which a machine that slept for a while outlasts.
      if (!(error instanceof AwsJsonError && error.name === 'ExpiredIteratorException')) throw error;
      this.#iterator = undefined;
      return { records: [], closed: false };
    }
  }
}
