import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { Consumer, QueueName } from '../../shared/contracts/consumer.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';

export interface ConsumerFunctionProps {
  readonly platform: Platform;
  readonly consumer: Consumer;
  /** The queues that functions send to by name. */
  readonly queues: Readonly<Record<QueueName, IQueue>>;
  /** What it needs to receive what it consumes. */
  readonly receives?: readonly PolicyStatement[];
}

/** The Lambda of one consumer: what its subscription declares, and what receiving takes. */
export class ConsumerFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, consumer, queues, receives = [] }: ConsumerFunctionProps) {
    const sendsTo = (consumer.sendsTo ?? []).map((name) => ({ name, queue: queues[name] }));
    const { publishes = false, schedules = false } = consumer;

    super(scope, 'Consumer', {
      platform,
      folder: `consumers/${consumer.name}`,
      description: `Consumer ${consumer.name}, by ${consumer.source.kind}`,
      timeoutSeconds: consumer.timeoutSeconds,
      access: consumer.access,
      statements: [
        ...receives,
        ...sendsTo.map(({ queue }) => sendStatement(queue)),
        ...(publishes ? [publishStatement(platform)] : []),
        ...(schedules ? platform.clock.setStatements() : []),
      ],
      environment: {
        ...Object.fromEntries(sendsTo.map(({ name, queue }) => [`QUEUE_URL_${name.toUpperCase()}`, queue.queueUrl])),
        ...(publishes && { BUS_NAME: platform.bus.eventBusName }),
        ...(schedules && platform.clock.environment()),
      },
      breaks: consumer.impact,
    });
    if (schedules) platform.clock.acknowledge(this);
  }
}

function sendStatement(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] });
}

function publishStatement({ bus }: Platform): PolicyStatement {
  return new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
}
