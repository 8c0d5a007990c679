import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { partitions, tableKey } from '../../../shared/contracts/table.ts';
import { createPlatformTable } from '../../../test/support/create-table.ts';
import { callAws, dynamoDbService } from '../../local/aws-json.ts';
import { startDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import type { AwsAddresses } from '../../local/platform-options.ts';

/** An item in DynamoDB's own format. */
type Item = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Reads a claim and a transaction from the platform's table: endpoints 1 and 2 each write both in one call. */
export async function samplePurchase({ dynamodb, table }: AwsAddresses): Promise<Item[]> {
  const { Items } = await callAws<{ Items: Item[] }>(dynamoDbService(dynamodb), 'Scan', { TableName: table });
  return [partitions.claim, partitions.transaction].map((prefix) => {
    const found = Items.find(({ pk }) => String(pk?.S).startsWith(prefix));
    if (!found) throw new Error(`the platform has no item ${prefix}…`);
    return found;
  });
}

interface RawWrites {
  /** The items of one call. Each call gives them keys of their own. */
  readonly items: readonly Item[];
  readonly calls: number;
  readonly clients: number;
}

const tableName = 'raw';

/**
 * Writes to a DynamoDB Local that nothing else uses, into a table with the platform's indexes and stream. Returns the
 * milliseconds of every call.
 */
export async function measureRawWrites({ items, calls, clients }: RawWrites): Promise<number[]> {
  const dynamoDb = await startDynamoDb();
  try {
    const { endpoint } = dynamoDb;
    await createPlatformTable(new DynamoDBClient({ endpoint }), tableName, { isStreamed: true });
    const durations: number[] = [];
    const numbers = Array.from({ length: calls }, (_, nth) => nth).values();
    const write = async (): Promise<void> => {
      for (const nth of numbers) {
        const startedAt = performance.now();
        const TransactItems = items.map((item) => ({ Put: { TableName: tableName, Item: withOwnKey(item, nth) } }));
        await callAws(dynamoDbService(endpoint), 'TransactWriteItems', { TransactItems });
        durations.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: clients }, write));
    return durations;
  } finally {
    await dynamoDb.stop();
  }
}

const withOwnKey = (item: Item, nth: number): Item => ({
  ...item,
  [tableKey.partition]: { S: `${item[tableKey.partition]?.S}-${nth}` },
});
