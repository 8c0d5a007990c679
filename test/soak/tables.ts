import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callAws, dynamoDbService, dynamoDbStreamsService } from '../../tools/local/aws-json.ts';
import { listShards, ShardReader, type StreamRecord } from '../../tools/local/lambda/shard-reader.ts';
import { createPlatformTable } from '../support/create-table.ts';
import { MemoryTable } from '../support/memory-table.ts';

/** The two tables of the soak test: DynamoDB Local, and one in memory that plays the same histories much faster. */

/** A table with its stream. */
export interface SoakTable {
  readonly name: string;
  readonly endpoint: string;
  /** Carries out a command in place of DynamoDB; undefined for a real DynamoDB. */
  readonly carryOut?: (command: string, input: unknown) => unknown;
  /** Empties the table and begins a new stream. */
  reset(): Promise<void>;
  /** Returns the changes since the last call, in their order. */
  readChanges(): Promise<readonly StreamRecord[]>;
  stop(): void;
}

/** A table in DynamoDB Local. */
export class LocalTable implements SoakTable {
  readonly name = `soak-${process.pid}-${performance.now().toFixed()}`;
  readonly endpoint: string;
  readonly #client: DynamoDBClient;
  #reader: ShardReader | undefined;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    this.#client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  }

  async reset(): Promise<void> {
    const { name } = this;
    if (this.#reader) await this.#client.send(new DeleteTableCommand({ TableName: name }));
    await createPlatformTable(this.#client, name, { isStreamed: true });
    const { Table } = await callAws<{ readonly Table: { readonly LatestStreamArn: string } }>(
      dynamoDbService(this.endpoint),
      'DescribeTable',
      { TableName: name },
    );
    const streams = dynamoDbStreamsService(this.endpoint);
    const [shard] = await listShards(streams, Table.LatestStreamArn);
    if (!shard) throw new Error(`the stream of ${name} has no shard`);
    const position = { StreamArn: Table.LatestStreamArn, ShardId: shard.ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    this.#reader = new ShardReader(streams, position);
  }

  async readChanges(): Promise<readonly StreamRecord[]> {
    const all: StreamRecord[] = [];
    for (;;) {
      const { records } = (await this.#reader?.readNext(1_000)) ?? { records: [] };
      all.push(...records);
      if (records.length < 1_000) return all;
    }
  }

  stop(): void {
    this.#client.destroy();
  }
}

/** A table in memory: a test shows that its histories are the same as with DynamoDB Local. */
export class QuickTable extends MemoryTable implements SoakTable {
  readonly endpoint = 'http://127.0.0.1:9';

  constructor() {
    super('memory', { isStreamed: true });
  }

  stop(): void {}
}
