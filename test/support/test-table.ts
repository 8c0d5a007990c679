import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DynamoDBClient, type GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { tableIndexes, tableKey } from '../../shared/store/table.ts';
import { TableClient } from '../../shared/store/table-client.ts';

/** A table of the platform, empty, in DynamoDB Local. */
export interface TestTable {
  readonly name: string;
  readonly endpoint: string;
  readonly documents: DynamoDBDocumentClient;
  readonly client: TableClient;
}

const keySchema = ({ partition, sort }: { partition: string; sort: string }) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

/** Makes a table of a test file's own, with the keys and indexes that the stacks give it. */
export async function makeTestTable(): Promise<TestTable> {
  const endpoint = inject('dynamoDbEndpoint');
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const dynamoDb = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  const name = `test-${randomUUID()}`;

  const indexes = Object.entries(tableIndexes).map(
    ([IndexName, index]): GlobalSecondaryIndex => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: index.projection },
    }),
  );
  const attributes = [tableKey, ...Object.values(tableIndexes)].flatMap(({ partition, sort }) => [partition, sort]);
  await dynamoDb.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keySchema(tableKey),
      AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
      GlobalSecondaryIndexes: indexes,
    }),
  );

  const documents = DynamoDBDocumentClient.from(dynamoDb, { marshallOptions: { removeUndefinedValues: true } });
  return { name, endpoint, documents, client: new TableClient(documents, name) };
}
