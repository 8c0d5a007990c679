import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import type { BusSource } from '../../shared/contracts/consumer.ts';
import type { ConsumerFunctionProps } from './consumer-function.ts';
import { FailureQueue } from './failure-queue.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { WorkQueue } from './work-queue.ts';

export interface BusConsumerProps extends ConsumerFunctionProps {
  readonly source: BusSource;
}

/**
 * A function that hears events of the bus, by way of a queue of its own: an outage of what it calls
 * makes the queue longer and loses nothing, and one consumer's outage is no other's.
 */
export class BusConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: BusConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { impact: breaks, timeoutSeconds } = consumer;
    const { queue } = new WorkQueue(this, 'Queue', { platform, timeoutSeconds, retries: source.retries, breaks });
    const undelivered = new FailureQueue(this, 'Undelivered', {
      platform,
      breaks: `The bus could not put events into the queue. ${breaks}`,
    });

    new Rule(this, 'Rule', {
      eventBus: platform.bus,
      eventPattern: source.pattern,
      targets: [new SqsQueue(queue, { deadLetterQueue: undelivered.queue })],
    });
    new QueueConsumer(this, 'Worker', { ...props, source, queue });
  }
}
