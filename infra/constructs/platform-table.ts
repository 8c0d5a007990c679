import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  type MaxThroughputProps,
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

function indexes(maximum: MaxThroughputProps): GlobalSecondaryIndexPropsV2[] {
  return Object.entries(tableIndexes).map(([indexName, { partition, sort, projection }]) => ({
    indexName,
    partitionKey: stringAttribute(partition),
    sortKey: stringAttribute(sort),
    projectionType: ProjectionType[projection],
    // An index does not inherit the maximum of its table.
    ...maximum,
  }));
}

/**
 * The single table as shared/contracts/table.ts declares it. It is encrypted with the platform's own key, so that one
 * change of this key revokes all access to the data.
 */
export class PlatformTable extends Construct {
  readonly table: TableV2;
  readonly key: Key;

  constructor(scope: Construct, id: string, { stage }: { stage: StageSettings }) {
    super(scope, id);
    const removalPolicy = dataRemovalPolicy(stage);
    const { readUnits, writeUnits } = stage.tableMaximum;
    const maximum = { maxReadRequestUnits: readUnits, maxWriteRequestUnits: writeUnits };

    this.key = new Key(this, 'Key', {
      description: 'Encrypts the table of the Rewards Platform',
      enableKeyRotation: true,
      removalPolicy,
    });
    this.table = new TableV2(this, 'Resource', {
      partitionKey: stringAttribute(tableKey.partition),
      sortKey: stringAttribute(tableKey.sort),
      globalSecondaryIndexes: indexes(maximum),
      billing: Billing.onDemand(maximum),
      encryption: TableEncryptionV2.customerManagedKey(this.key),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // A record contains the item before and after the change, because consumers that count need the difference.
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: ttlAttribute,
      deletionProtection: stage.keepsData,
      removalPolicy,
    });
  }
}
