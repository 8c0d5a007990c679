import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

export interface FailureAlarmProps {
  /** The platform, or as much of it as is made before the rest. */
  readonly platform: { readonly alarms: ITopic };
  readonly metric: IMetric;
  /** The highest value that is still well; zero unless said. */
  readonly tolerates?: number;
  /** What breaks for whom: what the person who is woken reads first. */
  readonly breaks: string;
}

/** Tells the alarm topic as soon as a metric is above what is tolerated. No data is no failure. */
export class FailureAlarm extends Alarm {
  constructor(scope: Construct, id: string, { platform, metric, tolerates = 0, breaks }: FailureAlarmProps) {
    super(scope, id, {
      metric,
      threshold: tolerates,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: breaks,
    });
    this.addAlarmAction(new SnsAction(platform.alarms));
  }
}
