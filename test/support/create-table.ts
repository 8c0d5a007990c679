import { CreateTableCommand, type DynamoDBClient, type GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb';
import { awsCallMs } from '../../shared/contracts/limits.ts';
import { tableIndexes, tableKey } from '../../shared/contracts/table.ts';

export const keySchema = ({ partition, sort }: { partition: string; sort: string }) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
];

const unlimitedMs = 60_000;

/**
 * Lets clients that are opened afterwards wait long for a table: a test runs hundreds of functions in one process, so
 * their AWS calls wait for each other.
 */
export const waitLong = (): void => void Object.assign(awsCallMs, { connect: unlimitedMs, request: unlimitedMs });

/** Creates a table with the keys and indexes of the stacks' table; with its stream if `isStreamed`. */
export async function createPlatformTable(
  dynamoDb: DynamoDBClient,
  name: string,
  { isStreamed = false } = {},
): Promise<void> {
  waitLong();
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
      ...(isStreamed && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    }),
  );
}
