import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { retentionMs, timingMs } from '../../shared/contracts/limits.ts';
import { FailureAlarm, type FailureAlarmProps, type Severity } from './alarms.ts';

type QueueProps = Pick<FailureAlarmProps, 'platform' | 'impact'>;

export interface FailureQueueProps extends QueueProps, Pick<FailureAlarmProps, 'section' | 'isPart'> {
  /** A ticket by default, because the messages stay for two weeks. */
  readonly severity?: Severity;
}

/** A dead-letter queue. Its alarm goes off with the first message. */
export class FailureQueue extends Construct {
  readonly queue: Queue;
  readonly alarm: FailureAlarm;

  constructor(scope: Construct, id: string, { severity = 'ticket', ...alarm }: FailureQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Resource', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // A message keeps its age when it moves to this queue. So this queue has a longer retention period than the
      // queues that feed it.
      retentionPeriod: Duration.millis(retentionMs.deadLetter),
    });
    Validations.of(this.queue).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is a dead-letter queue itself: of a rule, a stream or a schedule, which cdk-nag does not look at.',
    });
    this.alarm = new FailureAlarm(this, 'Alarm', {
      ...alarm,
      severity,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
    });
  }
}

export interface WorkQueueProps extends QueueProps {
  /** The consumer's name. It is also the name of its section in the runbook. */
  readonly name: string;
  /** The severity of the alarm about late work; a ticket by default. */
  readonly severity?: Severity | undefined;
  /** Timeout of the function that consumes the queue. */
  readonly timeoutSeconds: number;
  /** How often a message is received before it goes to the dead-letter queue. */
  readonly retries: number;
}

/** A queue that one function consumes, with a dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    const { platform, name, severity = 'ticket', timeoutSeconds, retries, impact } = props;
    const failures = new FailureQueue(this, 'Failures', {
      platform,
      impact: `Messages failed too often and are in the dead-letter queue. ${impact}`,
      section: 'redrive-a-dead-letter-queue',
    });

    this.deadLetters = failures.queue;

    // Not a FIFO queue: no sequence of messages is promised. In a standard queue, message groups keep many messages of
    // one group from delaying the other groups.
    this.queue = new Queue(this, 'Resource', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // AWS recommends six times the function's timeout, because Lambda keeps a received batch while the function is
      // throttled.
      visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
      retentionPeriod: Duration.millis(retentionMs.queuedMessage),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: retries },
    });
    // When only a part of a batch fails, Lambda counts no error. This alarm is the first sign of such a failure.
    new FailureAlarm(this, 'AgeAlarm', {
      platform,
      severity,
      section: name,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      threshold: Duration.millis(timingMs.toleratedMessageAge).toSeconds(),
      impact: `Messages wait too long. ${impact}`,
    });
  }
}

/** The permission to send to a queue. */
export function sendStatement({ queueArn }: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queueArn] });
}
