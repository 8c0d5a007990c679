import { describe, expect, it } from 'vitest';
import { tableIndexes } from '../../shared/contracts/table.ts';
import { type Json, synthesized } from './support/synthesized.ts';

interface Replica {
  readonly SSESpecification: { readonly KMSMasterKeyId: Json };
}

describe.each(['sandbox', 'production'] as const)('the data resources of the stage %s', (stage) => {
  const { only, referredBy, outputs } = synthesized(stage);
  const table = only('AWS::DynamoDB::GlobalTable');
  const [replica] = table.Properties.Replicas as unknown as Replica[];
  const key = referredBy(replica?.SSESpecification.KMSMasterKeyId);
  const retained = stage === 'production';

  it('include exactly one table, billed per request', () => {
    expect(table.Properties).toMatchObject({ BillingMode: 'PAY_PER_REQUEST' });
  });

  it('can be restored to any point in time', () => {
    expect(replica).toMatchObject({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
  });

  it('include a rotating customer-managed key for the table', () => {
    expect(table.Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
    expect(key.Properties).toMatchObject({ EnableKeyRotation: true });
  });

  it('include a stream and the expiry of items', () => {
    expect(table.Properties).toMatchObject({
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
  });

  it('include the declared indexes', () => {
    const indexes = Object.entries(tableIndexes).map(([IndexName, { partition, sort, projection }]) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partition, KeyType: 'HASH' },
        { AttributeName: sort, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: projection },
    }));
    expect(table.Properties.GlobalSecondaryIndexes).toMatchObject(indexes);
  });

  it(`${retained ? 'are retained when' : 'are deleted with'} the stack${retained ? ' is deleted' : ''}`, () => {
    const policy = retained ? 'RetainExceptOnCreate' : 'Delete';
    const archive = only('AWS::Events::Archive');

    expect(replica).toMatchObject({ DeletionProtectionEnabled: retained });
    expect([table, key, archive].map((resource) => resource.DeletionPolicy)).toEqual([policy, policy, policy]);
  });

  it('output the names of table and bus', () => {
    expect(outputs).toEqual(expect.arrayContaining(['TableName', 'BusName']));
  });
});
