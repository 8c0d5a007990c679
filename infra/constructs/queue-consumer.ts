import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BusSource, QueueSource } from '../../shared/contracts/consumer.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';

export interface QueueConsumerProps extends ConsumerFunctionProps {
  readonly source: QueueSource | BusSource;
  readonly queue: IQueue;
}

/** A function that works off a queue; of a batch, only the messages it names are received again. */
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

function receiveStatement(queue: IQueue): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    resources: [queue.queueArn],
  });
}
