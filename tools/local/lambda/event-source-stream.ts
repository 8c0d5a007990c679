import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, arnResource } from '../account.ts';
import { type AwsJsonService, callAws } from '../aws-json.ts';
import { type MappingProperties, type Running, recordFilter } from './event-source.ts';
import type { Lambda } from './lambda.ts';
import { type GivenUp, handleBatch } from './stream-batch.ts';
import { failureMessage } from './stream-failure.ts';
import { listShards, ShardReader, type StreamRecord } from './stream-shard.ts';

export interface StreamSourceOptions {
  readonly account: Account;
  /** DynamoDB itself: reading the stream is not a call of a function. */
  readonly endpoint: string;
  readonly lambda: Lambda;
  readonly mapping: MappingProperties;
  /** Sends a message to an on-failure destination. */
  readonly send: (destinationArn: string, body: string) => void;
}

/** AWS asks each shard four times a second; locally somebody is waiting. */
const idleMs = 60;
const shardListMs = 15_000;

/** Feeds a function from a table's stream: one event source mapping. */
export class StreamSource implements Running {
  readonly #options: StreamSourceOptions;
  readonly #service: AwsJsonService;
  readonly #passes: (record: object) => boolean;
  readonly #ender = new AbortController();
  readonly #shards = new Map<string, Promise<void>>();
  readonly #watching: Promise<void>;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#service = { endpoint: options.endpoint, name: 'dynamodb', target: 'DynamoDBStreams_20120810' };
    this.#passes = recordFilter(options.mapping);
    this.#watching = this.#watch();
  }

  async #streamArn(): Promise<string> {
    const tables: AwsJsonService = { ...this.#service, target: 'DynamoDB_20120810' };
    const name = arnResource(this.#options.mapping.EventSourceArn).split('/')[1];
    const { Table } = await callAws<{ Table: { LatestStreamArn: string } }>(tables, 'DescribeTable', {
      TableName: name,
    });
    return Table.LatestStreamArn;
  }

  /** Starts to read each shard once its parent has been read to its end, or is gone. */
  async #watch(): Promise<void> {
    const { signal } = this.#ender;
    const streamArn = await this.#streamArn();
    while (!signal.aborted) {
      const shards = await listShards(this.#service, streamArn).catch(() => []);
      for (const { ShardId, ParentShardId = '' } of shards) {
        if (this.#shards.has(ShardId)) continue;
        const parent = this.#shards.get(ParentShardId) ?? Promise.resolve();
        this.#shards.set(
          ShardId,
          parent.then(() => this.#read(streamArn, ShardId)),
        );
      }
      await sleep(shardListMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(this.#shards.values());
  }

  async #read(streamArn: string, shardId: string): Promise<void> {
    const { signal } = this.#ender;
    const { BatchSize = 100, StartingPosition = 'TRIM_HORIZON' } = this.#options.mapping;
    const reader = new ShardReader(this.#service, streamArn, shardId, StartingPosition);
    while (!signal.aborted) {
      // A call that failed is made again from the same place: nothing is skipped.
      const { records, closed } = await reader.next(BatchSize, signal).catch(() => ({ records: [], closed: false }));
      await this.#handle(records, shardId);
      if (closed) return;
      if (records.length < BatchSize) await sleep(idleMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #handle(records: readonly StreamRecord[], shardId: string): Promise<void> {
    const { lambda, mapping } = this.#options;
    const wanted = records.map((record) => this.#eventRecord(record)).filter(this.#passes);
    if (wanted.length === 0) return;
    await handleBatch(
      {
        mapping,
        invoke: (batch) => lambda.invoke(mapping.FunctionName, { Records: batch }),
        giveUp: async (given) => this.#giveUp(given, shardId),
        signal: this.#ender.signal,
      },
      wanted,
    );
  }

  #eventRecord(record: StreamRecord): StreamRecord {
    return {
      ...record,
      eventSource: 'aws:dynamodb',
      awsRegion: this.#options.account.region,
      eventSourceARN: this.#options.mapping.EventSourceArn,
    } as StreamRecord;
  }

  #giveUp(given: GivenUp, shardId: string): void {
    const { lambda, mapping, send } = this.#options;
    const destination = mapping.DestinationConfig?.OnFailure?.Destination;
    if (!destination) return;
    const functionArn = lambda.pool(mapping.FunctionName).settings.arn;
    send(
      destination,
      JSON.stringify(failureMessage(given, { functionArn, shardId, streamArn: mapping.EventSourceArn })),
    );
  }

  async stop(): Promise<void> {
    this.#ender.abort();
    await this.#watching.catch(() => undefined);
  }
}
