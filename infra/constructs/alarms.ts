import { RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The topic of all alarms. The people on call subscribe to it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // CloudWatch may not use the default key of SNS: with that key, alarms are lost without an error.
    const masterKey = new Key(this, 'Key', {
      description: 'Encrypts alarms on their way',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.topic = new Topic(this, 'Resource', { masterKey, enforceSSL: true });
    // This also allows CloudWatch to use the key.
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
  }
}

export interface FailureAlarmProps {
  /** The platform, or the part of it that exists while the rest is being built. */
  readonly platform: { readonly alarms: ITopic };
  readonly metric: IMetric;
  /** The highest value without an alarm; zero by default. */
  readonly threshold?: number;
  /** The consequence of the failure, and for whom: the first text that a person on call reads. */
  readonly impact: string;
}

/** Notifies the alarm topic when a metric is above its threshold. Missing data is no failure. */
export class FailureAlarm extends Alarm {
  constructor(scope: Construct, id: string, { platform, metric, threshold = 0, impact }: FailureAlarmProps) {
    super(scope, id, {
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: impact,
    });
    this.addAlarmAction(new SnsAction(platform.alarms));
  }
}
