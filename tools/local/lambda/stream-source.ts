import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, resourceOf } from '../account.ts';
import { type AwsJsonService, callAws, dynamoDbService, dynamoDbStreamsService } from '../aws-json.ts';
import { createFilter, type EventSource, type MappingProperties } from './event-source-mapping.ts';
import type { Lambda } from './lambda.ts';
import { listShards, ShardReader, type StreamRecord } from './shard-reader.ts';
import { buildDiscardMessage, type DiscardedBatch, handleBatch } from './stream-batch.ts';

export interface StreamSourceOptions {
  readonly account: Account;
  /** Endpoint of DynamoDB itself: reading the stream is not a call of the function. */
  readonly endpoint: string;
  readonly lambda: Lambda;
  readonly mapping: MappingProperties;
  /** Sends a message to an on-failure destination. */
  readonly send: (destinationArn: string, body: string) => void;
}

/**
 * Pause after an empty read. AWS reads each shard four times a second. This platform reads more often, because a
 * developer waits for the result.
 */
const idleMs = 60;
const shardListMs = 15_000;

/** Delivers a table's stream to a function: one event source mapping. */
export class StreamSource implements EventSource {
  readonly name: string;
  readonly #options: StreamSourceOptions;
  readonly #service: AwsJsonService;
  readonly #passesFilter: (record: object) => boolean;
  readonly #abort = new AbortController();
  readonly #shards = new Map<string, Promise<void>>();
  /** For each open shard: the start of the latest read that found nothing. */
  readonly #lastEmptyMs = new Map<string, number>();
  readonly #watching: Promise<void>;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.name = resourceOf(options.mapping.EventSourceArn);
    this.#service = { ...dynamoDbStreamsService(options.endpoint), signal: this.#abort.signal };
    this.#passesFilter = createFilter(options.mapping);
    this.#watching = this.#watchShards();
  }

  isDrained(sinceMs: number): boolean {
    return this.#lastEmptyMs.size > 0 && [...this.#lastEmptyMs.values()].every((timeMs) => timeMs > sinceMs);
  }

  findNextMs(): undefined {
    return undefined;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#watching.catch(() => undefined);
  }

  /**
   * Starts to read each shard after its parent was read to its end, or immediately when the parent does not exist any
   * more.
   */
  async #watchShards(): Promise<void> {
    const { signal } = this.#abort;
    const streamArn = await this.#findStreamArn();
    while (!signal.aborted) {
      const shards = await listShards(this.#service, streamArn).catch(() => []);
      for (const { ShardId, ParentShardId = '' } of shards) {
        if (this.#shards.has(ShardId)) continue;
        const parent = this.#shards.get(ParentShardId) ?? Promise.resolve();
        this.#shards.set(
          ShardId,
          parent.then(() => this.#readShard(streamArn, ShardId)),
        );
      }
      await sleep(shardListMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(this.#shards.values());
  }

  async #findStreamArn(): Promise<string> {
    const { endpoint, mapping } = this.#options;
    const input = { TableName: resourceOf(mapping.EventSourceArn).split('/')[1] };
    const service = dynamoDbService(endpoint);
    const { Table } = await callAws<{ Table: { LatestStreamArn: string } }>(service, 'DescribeTable', input);
    return Table.LatestStreamArn;
  }

  async #readShard(streamArn: string, shardId: string): Promise<void> {
    const { signal } = this.#abort;
    const { BatchSize = 100, StartingPosition = 'TRIM_HORIZON' } = this.#options.mapping;
    const position = { StreamArn: streamArn, ShardId: shardId, ShardIteratorType: StartingPosition };
    const reader = new ShardReader(this.#service, position);
    this.#lastEmptyMs.set(shardId, Number.NEGATIVE_INFINITY);
    while (!signal.aborted) {
      const startedMs = performance.now();
      // After a failed call, the next call reads from the same position.
      const read = await reader.readNext(BatchSize).catch(() => undefined);
      const { records = [], isClosed = false } = read ?? {};
      await this.#handle(records, shardId);
      if (isClosed) this.#lastEmptyMs.delete(shardId);
      else if (read && records.length === 0) this.#lastEmptyMs.set(shardId, startedMs);
      if (isClosed) return;
      if (records.length < BatchSize) await sleep(idleMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #handle(records: readonly StreamRecord[], shardId: string): Promise<void> {
    const { lambda, mapping } = this.#options;
    const selected = records.map((record) => this.#addSource(record)).filter(this.#passesFilter);
    if (selected.length === 0) return;
    await handleBatch(
      {
        mapping,
        invoke: (batch) => lambda.invoke(mapping.FunctionName, { Records: batch }),
        discard: async (batch) => this.#discard(batch, shardId),
        signal: this.#abort.signal,
      },
      selected,
    );
  }

  #addSource(record: StreamRecord): StreamRecord & { readonly eventSource: string; readonly eventSourceARN: string } {
    return {
      ...record,
      eventSource: 'aws:dynamodb',
      awsRegion: this.#options.account.region,
      eventSourceARN: this.#options.mapping.EventSourceArn,
    };
  }

  #discard(batch: DiscardedBatch, shardId: string): void {
    const { lambda, mapping, send } = this.#options;
    const destination = mapping.DestinationConfig?.OnFailure?.Destination;
    if (!destination) return;
    const { arn: functionArn } = lambda.pool(mapping.FunctionName).settings;
    const message = buildDiscardMessage(batch, { functionArn, shardId, streamArn: mapping.EventSourceArn });
    send(destination, JSON.stringify(message));
  }
}
