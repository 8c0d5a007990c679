import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TableClient } from '../../shared/store/table/table-client.ts';
import type { DynamoDbCall } from '../../tools/local/dynamodb/call.ts';
import { Faults } from '../../tools/local/dynamodb/faults.ts';
import { startDynamoDbProxy } from '../../tools/local/dynamodb/proxy.ts';
import { makeTestTable, type TestTable } from './test-table.ts';

/** A table behind a proxy that can lose replies and reject calls like AWS. */
export interface FaultyTable {
  /** The same table without the proxy. */
  readonly table: TestTable;
  /** The table through the proxy, without pauses between attempts. */
  readonly client: TableClient;
  readonly faults: Faults;
  /** Every call that reached the proxy, in the order of the replies. */
  readonly calls: readonly DynamoDbCall[];
  stop(): Promise<void>;
}

/** Loses the reply to a call that succeeded. */
export const lostAnswer = { fault: 'killAfter' } as const;

export async function makeFaultyTable(): Promise<FaultyTable> {
  const table = await makeTestTable({ onDynamoDb: true });
  const faults = new Faults(1);
  const calls: DynamoDbCall[] = [];
  const proxy = await startDynamoDbProxy({ target: table.endpoint, faults, onCall: (call) => void calls.push(call) });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const dynamoDb = new DynamoDBClient({ endpoint: proxy.endpoint, region: 'us-east-1', credentials });
  const documents = DynamoDBDocumentClient.from(dynamoDb, { marshallOptions: { removeUndefinedValues: true } });
  const stop = async () => {
    dynamoDb.destroy();
    await proxy.stop();
  };
  return { table, client: new TableClient(documents, table.name, () => 0), faults, calls, stop };
}
