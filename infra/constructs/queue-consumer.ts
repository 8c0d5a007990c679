import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BusSource, QueueSource } from '../../shared/contracts/consumer.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
import { FailureQueue, WorkQueue } from './queues.ts';

export interface QueueConsumerProps extends ConsumerFunctionProps {
  readonly source: QueueSource | BusSource;
  readonly queue: IQueue;
}

/** A function that consumes a queue. Of a batch, only the messages that it reports are received again. */
export class QueueConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, queue, ...props }: QueueConsumerProps) {
    super(scope, id);
    const { lambda } = new ConsumerFunction(this, { ...props, receives: [receiveStatement(queue)] });

    new EventSourceMapping(this, 'Messages', {
      target: lambda,
      eventSourceArn: queue.queueArn,
      batchSize: source.batchSize,
      reportBatchItemFailures: true,
      ...(source.maxConcurrency && { maxConcurrency: source.maxConcurrency }),
    });
  }
}

export interface BusConsumerProps extends ConsumerFunctionProps {
  readonly source: BusSource;
}

/**
 * A function that consumes events of the bus through a queue of its own. While a service that it calls is
 * down, the queue grows, no event is lost, and no other consumer is affected.
 */
export class BusConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: BusConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { impact, timeoutSeconds } = consumer;
    const { queue } = new WorkQueue(this, 'Queue', { platform, timeoutSeconds, retries: source.retries, impact });
    const undelivered = new FailureQueue(this, 'Undelivered', {
      platform,
      impact: `The bus could not put events into the queue. ${impact}`,
    });

    new Rule(this, 'Rule', {
      eventBus: platform.bus,
      eventPattern: source.pattern,
      targets: [new SqsQueue(queue, { deadLetterQueue: undelivered.queue })],
    });
    new QueueConsumer(this, 'Worker', { ...props, source, queue });
  }
}

function receiveStatement(queue: IQueue): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    resources: [queue.queueArn],
  });
}
