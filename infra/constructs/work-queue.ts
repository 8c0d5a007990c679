import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FailureAlarm } from './failure-alarm.ts';
import { FailureQueue } from './failure-queue.ts';
import type { Platform } from './platform.ts';

/**
 * Longer than a message is ever delayed on purpose. A batch that fails in part is no error of the function,
 * so this is the first that is heard of one that keeps failing.
 */
const toleratedAge = Duration.minutes(16);

export interface WorkQueueProps {
  readonly platform: Platform;
  /** The timeout of the function that works it off. */
  readonly timeoutSeconds: number;
  /** Receives before a message is given up. */
  readonly retries: number;
  readonly breaks: string;
}

/** A queue that one function works off, with a dead-letter queue for what it cannot. */
export class WorkQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { platform, timeoutSeconds, retries, breaks }: WorkQueueProps) {
    super(scope, id);
    const failures = new FailureQueue(this, 'Failures', { platform, breaks: `Messages were given up. ${breaks}` });

    // Not FIFO: order is not promised, and with a message group a standard queue is fair between endpoints.
    this.queue = new Queue(this, 'Resource', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Six times: Lambda keeps a batch back while it is throttled, and nobody else may receive it meanwhile.
      visibilityTimeout: Duration.seconds(6 * timeoutSeconds),
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: retries },
    });
    new FailureAlarm(this, 'AgeAlarm', {
      platform,
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) }),
      tolerates: toleratedAge.toSeconds(),
      breaks: `Messages wait too long. ${breaks}`,
    });
  }
}
