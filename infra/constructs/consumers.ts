import { Duration, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { BusSource, Consumer, QueueName, QueueSource, ScheduleSource } from '../../shared/contracts/consumer.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { FailureQueue, sendStatement, WorkQueue } from './queues.ts';

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

/** A later call is dropped: the next one does its work. */
const maxEventAge = Duration.minutes(5);

export interface ScheduledConsumerProps extends ConsumerFunctionProps {
  readonly source: ScheduleSource;
}

/** A function that a schedule calls. A call that failed is in the dead-letter queue. */
export class ScheduledConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: ScheduledConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { lambda } = new ConsumerFunction(this, props);
    const missed = new FailureQueue(this, 'Missed', {
      platform,
      impact: `The schedule could not start it. ${consumer.impact}`,
    });

    const role = clockRole(this, lambda, missed.queue).withoutPolicyUpdates();

    new Schedule(this, 'Clock', {
      description: consumer.name,
      schedule: ScheduleExpression.expression(source.every),
      target: new LambdaInvoke(lambda, { role, deadLetterQueue: missed.queue, maxEventAge, retryAttempts: 3 }),
    });
  }
}

/** Allows to call this one function. The role that CDK creates would also allow all of its versions. */
function clockRole(scope: Construct, lambda: IFunction, missed: IQueue): Role {
  const { account } = Stack.of(scope);
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] });

  return new Role(scope, 'ClockRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
    inlinePolicies: { clock: new PolicyDocument({ statements: [invoke, sendStatement(missed)] }) },
  });
}
