import { Stack } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Consumer, QueueName, QueueSource } from '../../shared/contracts/consumer.ts';
import { BusConsumer } from '../constructs/bus-consumer.ts';
import type { Platform } from '../constructs/platform.ts';
import { QueueConsumer } from '../constructs/queue-consumer.ts';
import { ScheduledConsumer } from '../constructs/scheduled-consumer.ts';
import { StreamConsumer } from '../constructs/stream-consumer.ts';
import { WorkQueue } from '../constructs/work-queue.ts';

export interface ConsumersStackProps {
  readonly platform: Platform;
  readonly consumers: readonly Consumer[];
}

type Queues = Readonly<Record<QueueName, IQueue>>;
type QueueOwner = Consumer & { readonly source: QueueSource };

/** Everything that happens after a request was answered: relay, rules, queues, schedules and their functions. */
export class ConsumersStack extends Stack {
  constructor(scope: Construct, id: string, { platform, consumers }: ConsumersStackProps) {
    const { name, region } = platform.stage;
    super(scope, id, { env: { region }, description: `Rewards Platform (${name}): what happens after the reply` });

    // Queues first: a function may send to the queue of another, and to its own.
    const queues = this.namedQueues(platform, consumers.filter(ownsQueue));
    for (const consumer of consumers) this.addConsumer(platform, consumer, queues);
  }

  private namedQueues(platform: Platform, owners: readonly QueueOwner[]): Queues {
    const queues = owners.map(({ source, timeoutSeconds, impact: breaks }) => {
      const props = { platform, timeoutSeconds, retries: source.retries, breaks };
      return [source.queue, new WorkQueue(this, `queue-${source.queue}`, props).queue] as const;
    });

    return Object.fromEntries<IQueue>(queues) as Queues;
  }

  private addConsumer(platform: Platform, consumer: Consumer, queues: Queues): void {
    const { name, source } = consumer;
    const props = { platform, consumer, queues };

    switch (source.kind) {
      case 'stream':
        new StreamConsumer(this, name, { ...props, source });
        break;
      case 'bus':
        new BusConsumer(this, name, { ...props, source });
        break;
      case 'queue':
        new QueueConsumer(this, name, { ...props, source, queue: queues[source.queue] });
        break;
      case 'schedule':
        new ScheduledConsumer(this, name, { ...props, source });
        break;
    }
  }
}

function ownsQueue(consumer: Consumer): consumer is QueueOwner {
  return consumer.source.kind === 'queue';
}
