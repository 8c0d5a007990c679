import { AwsJsonError, callAws, dynamoDbService } from '../aws-json.ts';
import type { Resource } from '../template/resources.ts';

interface TableProperties {
  readonly AttributeDefinitions: object[];
  readonly KeySchema: object[];
  readonly GlobalSecondaryIndexes?: readonly { IndexName: string; KeySchema: object[]; Projection: object }[];
  readonly LocalSecondaryIndexes?: object[];
  readonly StreamSpecification?: { readonly StreamViewType: string };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

/** Creates a table of the template. A table that remains from an earlier start is not changed. */
export async function createTable(endpoint: string, table: Resource): Promise<void> {
  const service = dynamoDbService(endpoint);
  const properties = table.properties<TableProperties>();
  await callAws(service, 'CreateTable', buildInput(table.ref, properties)).catch(ignore('ResourceInUseException'));

  const timeToLive = properties.TimeToLiveSpecification;
  if (!timeToLive?.Enabled) return;
  const input = { TableName: table.ref, TimeToLiveSpecification: timeToLive };
  // A table that remains from an earlier start already has time to live. DynamoDB then refuses this call with a
  // validation error.
  await callAws(service, 'UpdateTimeToLive', input).catch(ignore('ValidationException'));
}

function buildInput(name: string, properties: TableProperties): object {
  const { AttributeDefinitions, KeySchema, LocalSecondaryIndexes, StreamSpecification } = properties;
  const indexes = properties.GlobalSecondaryIndexes?.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  return {
    TableName: name,
    AttributeDefinitions,
    KeySchema,
    // DynamoDB Local does not support capacity, recovery, encryption and deletion protection.
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes && { GlobalSecondaryIndexes: indexes }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes }),
    ...(StreamSpecification && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: StreamSpecification.StreamViewType },
    }),
  };
}

function ignore(name: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof AwsJsonError && error.name === name)) throw error;
  };
}
