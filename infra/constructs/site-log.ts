import { Stack } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource, LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { dataRemovalPolicy, type StageSettings } from '../stages.ts';

/**
 * What the log has of a request. It has the viewer's address, which the access log of a host behind the delivery network
 * lacks. It has no query string and no cookie, because they may contain codes and sessions.
 */
const fields = [
  ...['date', 'time', 'x-edge-request-id', 'c-ip', 'cs(User-Agent)', 'cs-method', 'cs-uri-stem', 'sc-status'],
  ...['sc-bytes', 'time-taken', 'x-edge-result-type', 'x-edge-location', 'ssl-protocol'],
];

export interface SiteLogProps {
  readonly stage: StageSettings;
  readonly distribution: Distribution;
}

/** The access log of a distribution, as JSON lines in CloudWatch. */
export class SiteLog extends Construct {
  constructor(scope: Construct, id: string, { stage, distribution }: SiteLogProps) {
    super(scope, id);
    const group = new LogGroup(this, 'Group', {
      retention: stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(stage),
    });
    const name = `rewards-${stage.name}-dashboard`;
    const source = new CfnDeliverySource(this, 'Source', {
      name,
      logType: 'ACCESS_LOGS',
      resourceArn: Stack.of(this).formatArn({
        ...{ service: 'cloudfront', region: '', resource: 'distribution', resourceName: distribution.distributionId },
      }),
    });
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name,
      destinationResourceArn: group.logGroupArn,
      outputFormat: 'json',
    });
    const delivery = new CfnDelivery(this, 'Delivery', {
      deliverySourceName: source.name,
      deliveryDestinationArn: destination.attrArn,
      recordFields: fields,
    });
    delivery.addResourceDependency(source);
  }
}
