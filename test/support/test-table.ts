import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { isPartition, outboxAttribute, partitions } from '../../shared/contracts/table.ts';
import { partitionOf } from '../../shared/operations/reconcile/book-builder.ts';
import { TableClient } from '../../shared/store/table/table-client.ts';
import { scan } from '../../tools/admin/reconcile/read-books.ts';
import { createPlatformTable } from './create-table.ts';
import { TableMirror } from './table-mirror.ts';

/** An empty platform table in DynamoDB Local. */
export interface TestTable {
  readonly name: string;
  readonly endpoint: string;
  readonly documents: DynamoDBDocumentClient;
  readonly client: TableClient;
  readonly mirror: TableMirror;
}

/** Creates a table for one test file. The table has the keys and indexes that the stacks declare. */
export async function makeTestTable(): Promise<TestTable> {
  const endpoint = inject('dynamoDbEndpoint');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const dynamoDb = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const name = `test-${randomUUID()}`;
  await createPlatformTable(dynamoDb, name);

  const documents = DynamoDBDocumentClient.from(dynamoDb, { marshallOptions: { removeUndefinedValues: true } });
  const client = new TableClient(documents, name);
  const mirror = new TableMirror(name, client, () =>
    scan({ name, documents }, Object.keys(partitions).filter(isPartition)),
  );
  return { name, endpoint, documents, client, mirror };
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
