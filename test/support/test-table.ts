import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { isPartition, outboxAttribute, type Partition, partitions } from '../../shared/contracts/table.ts';
import { partitionOf } from '../../shared/operations/reconcile/book-builder.ts';
import { type Item, TableClient } from '../../shared/store/table/table-client.ts';
import { scan } from '../../tools/admin/reconcile/read-books.ts';
import { createPlatformTable, waitLong } from './create-table.ts';
import { serveFromMemory } from './memory-dynamodb.ts';
import { startMemoryServer } from './memory-server.ts';
import { MemoryTable } from './memory-table.ts';
import { itemsOf, TableMirror } from './table-mirror.ts';

/** An empty platform table. */
export interface TestTable {
  readonly name: string;
  /** The address of DynamoDB Local, or of the server of a table in memory. Other tables in memory have no address. */
  readonly endpoint: string;
  readonly documents: DynamoDBDocumentClient;
  readonly client: TableClient;
  /** Every item of the table, as it is now. */
  readonly mirror: { items(): Promise<Item[]>; read(wanted: readonly Partition[]): AsyncGenerator<Item> };
}

export interface TableOptions {
  /**
   * Makes the table in DynamoDB Local. A table in memory is ten times as fast, but other processes do not see it, and it
   * knows no conflicts between transactions, no throttling and no limits of size. With `TABLES=dynamodb`, every test uses
   * DynamoDB Local.
   */
  readonly onDynamoDb?: boolean;
  /** Serves the table in memory by HTTP: for tests that put a proxy before it, or use it in other processes. */
  readonly isServed?: boolean;
}

/** Creates a table for one test file. The table has the keys and indexes that the stacks declare. */
export function makeTestTable({
  onDynamoDb = process.env.TABLES === 'dynamodb',
  isServed = false,
}: TableOptions = {}): Promise<TestTable> {
  const name = `test-${randomUUID()}`;
  return onDynamoDb ? makeLocalTable(name) : makeMemoryTable(name, isServed);
}

async function makeLocalTable(name: string): Promise<TestTable> {
  const endpoint = inject('dynamoDbEndpoint');
  const dynamoDb = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  await createPlatformTable(dynamoDb, name);
  const { documents, client } = clientsOf(dynamoDb, name);
  const mirror = new TableMirror(name, client, () =>
    scan({ name, documents }, Object.keys(partitions).filter(isPartition)),
  );
  return { name, endpoint, documents, client, mirror };
}

async function makeMemoryTable(name: string, isServed: boolean): Promise<TestTable> {
  const table = new MemoryTable(name);
  const endpoint = isServed ? await startMemoryServer(table) : inject('dynamoDbEndpoint');
  if (isServed) waitLong();
  else serveFromMemory(table);
  const dynamoDb = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const items = async () => table.items() as Item[];
  async function* read(wanted: readonly Partition[]) {
    yield* itemsOf(await items(), wanted);
  }
  return { name, endpoint, ...clientsOf(dynamoDb, name), mirror: { items, read } };
}

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

function clientsOf(dynamoDb: DynamoDBClient, name: string) {
  const documents = DynamoDBDocumentClient.from(dynamoDb, { marshallOptions: { removeUndefinedValues: true } });
  return { documents, client: new TableClient(documents, name) };
}

/** Expires the idempotency locks of requests that died, perhaps in another process. */
export async function expireLocks(table: TestTable): Promise<void> {
  const lockedUntil = new Date(0).toISOString();
  for await (const { pk, sk, reply } of scan(table, ['idempotency'])) {
    if (reply !== undefined) continue;
    await table.client.write({ kind: 'update', key: { pk, sk }, changes: { set: { lockedUntil } } });
  }
}

/** Returns how many items of each kind some work adds to a table. */
export async function itemsAdded(table: TestTable, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countItems(table);
  await work();
  const changes = Object.entries(await countItems(table)).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

async function countItems(table: TestTable): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const item of await table.mirror.items()) {
    const kinds = [partitionOf(item) ?? '', ...(outboxAttribute in item ? [outboxAttribute] : [])];
    for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
