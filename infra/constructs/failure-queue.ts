import { Duration, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FailureAlarm, type FailureAlarmProps } from './failure-alarm.ts';

export interface FailureQueueProps {
  readonly platform: FailureAlarmProps['platform'];
  /** What breaks for whom when something lies in it. */
  readonly breaks: string;
}

/** A dead-letter queue that somebody hears of: its alarm goes off with the first message. */
export class FailureQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { platform, breaks }: FailureQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Resource', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // A message's age counts from when it was first sent: this must be longer than the queue it comes from keeps it.
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead-letter queue itself: of a rule, a stream or a schedule, which cdk-nag does not look at.',
    });
    new FailureAlarm(this, 'Alarm', {
      platform,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      breaks,
    });
  }
}
