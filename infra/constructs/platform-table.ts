import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { tableIndexes, tableKey, ttlAttribute } from '../../shared/contracts/table.ts';
import { dataRemovalPolicy, type StageSettings } from '../stages.ts';

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

function indexes(): GlobalSecondaryIndexPropsV2[] {
  return Object.entries(tableIndexes).map(([indexName, { partition, sort, projection }]) => ({
    indexName,
    partitionKey: stringAttribute(partition),
    sortKey: stringAttribute(sort),
    projectionType: ProjectionType[projection],
  }));
}

/**
 * The single table as shared/contracts/table.ts declares it. Its key belongs to the platform and not to AWS,
 * so the platform can revoke all access to the data in one place.
 */
export class PlatformTable extends Construct {
  readonly table: TableV2;
  readonly key: Key;

  constructor(scope: Construct, id: string, { stage }: { stage: StageSettings }) {
    super(scope, id);
    const removalPolicy = dataRemovalPolicy(stage);

    this.key = new Key(this, 'Key', {
      description: 'Encrypts the table of the Rewards Platform',
      enableKeyRotation: true,
      removalPolicy,
    });
    this.table = new TableV2(this, 'Resource', {
      partitionKey: stringAttribute(tableKey.partition),
      sortKey: stringAttribute(tableKey.sort),
      globalSecondaryIndexes: indexes(),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.customerManagedKey(this.key),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Both images, because consumers that count need the difference between them.
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: ttlAttribute,
      deletionProtection: stage.keepsData,
      removalPolicy,
    });
  }
}
