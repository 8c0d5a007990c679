import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Partition, partitions } from '../../shared/contracts/table.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { callAws, dynamoDbService, dynamoDbStreamsService } from '../../tools/local/aws-json.ts';
import { listShards, ShardReader } from '../../tools/local/lambda/shard-reader.ts';

/**
 * A copy of a table in memory, which follows the table's stream. To read all items here takes one call for the changes
 * since the last reading; a scan of DynamoDB Local takes many times as long. Of a table without a stream, each reading is
 * a scan.
 */
export class TableMirror {
  readonly #table: MirroredTable;
  readonly #items = new Map<string, Item>();
  #reader: Promise<ShardReader> | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(table: MirroredTable) {
    this.#table = table;
  }

  /** Returns all items as they are now. */
  async items(): Promise<Item[]> {
    this.#reading = this.#reading.then(() => (this.#table.isStreamed ? this.#follow() : this.#scan()));
    await this.#reading;
    return [...this.#items.values()];
  }

  /** Yields the items of some kinds of partitions. */
  async *read(wanted: readonly Partition[]): AsyncGenerator<Item> {
    const prefixes = wanted.map((partition) => partitions[partition]);
    for (const item of await this.items()) {
      if (prefixes.some((prefix) => item.pk.startsWith(prefix))) yield item;
    }
  }

  async #follow(): Promise<void> {
    this.#reader ??= this.#open();
    const reader = await this.#reader;
    for (let isMore = true; isMore; ) {
      const { records } = await reader.readNext(maximumRecords);
      for (const { dynamodb } of records) this.#apply(dynamodb);
      isMore = records.length === maximumRecords;
    }
  }

  #apply({ NewImage, OldImage }: { readonly NewImage?: unknown; readonly OldImage?: unknown }): void {
    const image = unmarshall((NewImage ?? OldImage) as Image) as Item;
    const name = `${image.pk}\n${image.sk}`;
    if (NewImage) this.#items.set(name, image);
    else this.#items.delete(name);
  }

  async #open(): Promise<ShardReader> {
    const { name, endpoint } = this.#table;
    const { Table } = await callAws<Description>(dynamoDbService(endpoint), 'DescribeTable', { TableName: name });
    const streams = dynamoDbStreamsService(endpoint);
    const [shard] = await listShards(streams, Table.LatestStreamArn);
    if (!shard) throw new Error(`the stream of ${name} has no shard`);
    const position = { StreamArn: Table.LatestStreamArn, ShardId: shard.ShardId, ShardIteratorType: 'TRIM_HORIZON' };
    return new ShardReader(streams, position);
  }

  async #scan(): Promise<void> {
    const { name, endpoint } = this.#table;
    this.#items.clear();
    let from: Image | undefined;
    do {
      const input = { TableName: name, ConsistentRead: true, ...(from && { ExclusiveStartKey: from }) };
      const page = await callAws<Page>(dynamoDbService(endpoint), 'Scan', input);
      for (const NewImage of page.Items) this.#apply({ NewImage });
      from = page.LastEvaluatedKey;
    } while (from);
  }
}

/** A table of a test. */
interface MirroredTable {
  readonly name: string;
  readonly endpoint: string;
  readonly isStreamed: boolean;
}

type Image = Record<string, AttributeValue>;
interface Page {
  readonly Items: readonly Image[];
  readonly LastEvaluatedKey?: Image;
}
interface Description {
  readonly Table: { readonly LatestStreamArn: string };
}

const maximumRecords = 1_000;
