import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { dataRemovalPolicy } from '../stages.ts';
import type { Platform } from './platform.ts';

/**
 * Records every access to the table and its stream by anyone except the platform's own functions. Operators cannot
 * reach the bucket of these records. Functions are left out, because records of their accesses would cost as much as
 * the requests themselves.
 */
export class AccessTrail extends Construct {
  constructor(scope: Construct, id: string, { stage, table }: Platform) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // A person who overwrites or deletes a record does not remove its earlier versions.
      versioned: true,
      lifecycleRules: [
        {
          expiration: Duration.days(stage.logRetentionDays),
          noncurrentVersionExpiration: Duration.days(stage.logRetentionDays),
        },
      ],
      removalPolicy: dataRemovalPolicy(stage),
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Only CloudTrail writes to the bucket, and it signs what it writes.',
    });
    const trailName = `rewards-${stage.name}-access`;
    const delivery = this.#allowDelivery(bucket, trailName);
    const trail = new CfnTrail(this, 'Trail', {
      trailName,
      s3BucketName: bucket.bucketName,
      isLogging: true,
      // The digests show whether a record was changed.
      enableLogFileValidation: true,
      advancedEventSelectors: [
        { name: 'The table', fieldSelectors: this.#accessesOf('AWS::DynamoDB::Table', stage.name, table.tableArn) },
        { name: 'Its stream', fieldSelectors: this.#accessesOf('AWS::DynamoDB::Stream', stage.name, table.tableArn) },
      ],
    });
    if (delivery) trail.node.addDependency(delivery);
  }

  #allowDelivery(bucket: Bucket, trailName: string) {
    const { account } = Stack.of(this);
    const source = Stack.of(this).formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: trailName });
    const principals = [new ServicePrincipal('cloudtrail.amazonaws.com')];
    const ofTrail = { 'aws:SourceArn': source };
    bucket.addToResourcePolicy(
      new PolicyStatement({
        ...{ principals, actions: ['s3:GetBucketAcl'], resources: [bucket.bucketArn] },
        conditions: { StringEquals: ofTrail },
      }),
    );
    const { policyDependable } = bucket.addToResourcePolicy(
      new PolicyStatement({
        ...{ principals, actions: ['s3:PutObject'], resources: [bucket.arnForObjects(`AWSLogs/${account}/*`)] },
        conditions: { StringEquals: { ...ofTrail, 's3:x-amz-acl': 'bucket-owner-full-control' } },
      }),
    );
    return policyDependable;
  }

  /**
   * Selects the accesses by anyone except functions. Functions are recognized by their roles: the names of these roles
   * begin with `rewards-` and the stage. So no role of a person may have such a name.
   */
  #accessesOf(type: string, stageName: string, tableArn: string): CfnTrail.AdvancedFieldSelectorProperty[] {
    const { account, partition } = Stack.of(this);
    const ofFunctions = `arn:${partition}:sts::${account}:assumed-role/rewards-${stageName}-`;
    return [
      { field: 'eventCategory', equalTo: ['Data'] },
      { field: 'resources.type', equalTo: [type] },
      { field: 'resources.ARN', startsWith: [tableArn] },
      { field: 'userIdentity.arn', notStartsWith: [ofFunctions] },
    ];
  }
}
