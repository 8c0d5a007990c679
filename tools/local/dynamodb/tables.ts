import { AwsJsonError, type AwsJsonService, callAws } from '../aws-json.ts';
import type { Resource } from '../template/resources.ts';

interface TableProperties {
  readonly AttributeDefinitions: object[];
  readonly KeySchema: object[];
  readonly GlobalSecondaryIndexes?: readonly { IndexName: string; KeySchema: object[]; Projection: object }[];
  readonly LocalSecondaryIndexes?: object[];
  readonly StreamSpecification?: { readonly StreamViewType: string };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
}

/** Runs against DynamoDB itself, never through the proxy. */
export function dynamoDbService(endpoint: string): AwsJsonService {
  return { endpoint, name: 'dynamodb', target: 'DynamoDB_20120810' };
}

function createInput(name: string, properties: TableProperties): object {
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
    // Capacity, recovery, encryption and deletion protection are left out: DynamoDB Local has none of them.
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes && { GlobalSecondaryIndexes: indexes }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes }),
    ...(StreamSpecification && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: StreamSpecification.StreamViewType },
    }),
  };
}

function orIfThere(name: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof AwsJsonError && error.name === name)) throw error;
  };
}

/** Creates a table as the template describes it. One that was kept from an earlier start stays as it is. */
export async function createTable(endpoint: string, table: Resource): Promise<void> {
  const service = dynamoDbService(endpoint);
  const properties = table.properties<TableProperties>();
  await callAws(service, 'CreateTable', createInput(table.ref, properties)).catch(orIfThere('ResourceInUseException'));

  const timeToLive = properties.TimeToLiveSpecification;
  if (!timeToLive?.Enabled) return;
  const input = { TableName: table.ref, TimeToLiveSpecification: timeToLive };
  // Refused with a validation error when a kept table has it on already.
  await callAws(service, 'UpdateTimeToLive', input).catch(orIfThere('ValidationException'));
}
