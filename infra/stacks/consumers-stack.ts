import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Consumer, QueueSource } from '../../shared/contracts/consumer.ts';
import {
  BusConsumer,
  NamedQueueConsumer,
  type NamedQueues,
  queueNamed,
  ScheduledConsumer,
  StreamConsumer,
} from '../constructs/consumers.ts';
import type { Platform } from '../constructs/platform.ts';
import { WorkQueue } from '../constructs/queues.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';

export interface ConsumersStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  readonly consumers: readonly Consumer[];
}

type QueueOwner = Consumer & { readonly source: QueueSource };

/** The work after the reply to a request: relay, rules, queues, schedules and their functions. */
export class ConsumersStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, consumers }: ConsumersStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the work after the reply`,
      terminationProtection: stage.keepsData,
    });
    const platform = data.platformFor(this, { readsStream: true });

    // Queues first: a function may send to the queue of another consumer, and to its own.
    const queues = this.#namedQueues(platform, consumers.filter(ownsQueue));
    for (const consumer of consumers) this.#addConsumer(platform, consumer, queues);
  }

  #namedQueues(platform: Platform, owners: readonly QueueOwner[]): NamedQueues {
    return new Map(
      owners.map(({ name, source, timeoutSeconds, severity, impact }) => {
        const props = { platform, name, severity, timeoutSeconds, retries: source.retries, impact };
        return [source.queue, new WorkQueue(this, `queue-${source.queue}`, props).queue];
      }),
    );
  }

  #addConsumer(platform: Platform, consumer: Consumer, queues: NamedQueues): void {
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
        new NamedQueueConsumer(this, name, { ...props, source, queue: queueNamed(source.queue, queues) });
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
