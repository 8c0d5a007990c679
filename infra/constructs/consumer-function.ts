import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Consumer, QueueName } from '../../shared/contracts/consumer.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { sendStatement } from './queues.ts';

/** The queues that functions send to by name. */
export type NamedQueues = ReadonlyMap<QueueName, IQueue>;

/**
 * The queue of a name.
 * @throws Error when no consumer owns a queue of this name
 */
export function queueNamed(name: QueueName, queues: NamedQueues): IQueue {
  const queue = queues.get(name);
  if (!queue) throw new Error(`no consumer owns the queue "${name}": declare one with a source of kind "queue"`);
  return queue;
}

export interface ConsumerFunctionProps {
  readonly platform: Platform;
  readonly consumer: Consumer;
  readonly queues: NamedQueues;
  /** Permissions to receive from its source. */
  readonly receives?: readonly PolicyStatement[];
}

/** The Lambda of one consumer, from its declaration. */
export class ConsumerFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, consumer, queues, receives = [] }: ConsumerFunctionProps) {
    const { name, publishes = false, schedules = false } = consumer;
    const sendsTo = (consumer.sendsTo ?? []).map((to) => ({ to, queue: queueNamed(to, queues) }));

    super(scope, 'Consumer', {
      platform,
      folder: `consumers/${name}`,
      description: `Consumer ${name}, by ${consumer.source.kind}`,
      timeoutSeconds: consumer.timeoutSeconds,
      access: consumer.access,
      statements: [
        ...receives,
        ...sendsTo.map(({ queue }) => sendStatement(queue)),
        ...(publishes ? [publishStatement(platform)] : []),
        ...(schedules ? platform.clock.setStatements() : []),
      ],
      environment: {
        ...Object.fromEntries(sendsTo.map(({ to, queue }) => [`QUEUE_URL_${to.toUpperCase()}`, queue.queueUrl])),
        ...(publishes && { BUS_NAME: platform.bus.eventBusName }),
        ...(schedules && platform.clock.environment()),
      },
      impact: consumer.impact,
    });
    if (schedules) platform.clock.acknowledge(this);
  }
}

function publishStatement({ bus }: Platform): PolicyStatement {
  return new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
}
