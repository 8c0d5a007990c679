import { CfnResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  EventSourceMapping,
  type EventSourceMappingOptions,
  type IFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  type BusSource,
  batchesPerShard,
  type Consumer,
  minutesBetweenCalls,
  type QueueName,
  type QueueSource,
  type ScheduleSource,
  type StreamSource,
} from '../../shared/contracts/consumer.ts';
import { metricList } from '../../shared/contracts/metrics.ts';
import { FailureAlarm, JointAlarm, orZero } from './alarms.ts';
import { OwnMetric } from './own-metric.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { FailureQueue, sendStatement, WorkQueue } from './queues.ts';

/** The queues that functions send to by name. */
export type NamedQueues = ReadonlyMap<QueueName, IQueue>;

/**
 * Returns the queue with this name.
 * @throws Error when no consumer owns a queue of this name
 */
export function queueNamed(name: QueueName, queues: NamedQueues): IQueue {
  const queue = queues.get(name);
  if (!queue) throw new Error(`no consumer owns the queue "${name}": declare one with a source of kind "queue"`);
  return queue;
}

/** `deliverSlow` → `QUEUE_URL_DELIVER_SLOW` */
function queueVariable(name: QueueName): string {
  return `QUEUE_URL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export interface ConsumerFunctionProps {
  readonly platform: Platform;
  readonly consumer: Consumer;
  readonly queues: NamedQueues;
  /** Permissions to receive from the consumer's source. */
  readonly receives?: readonly PolicyStatement[];
  /**
   * The dead-letter queue of the consumer's queue or stream. A consumer that declares `rejects` puts messages into it.
   */
  readonly deadLetters?: IQueue;
}

/** The Lambda of one consumer, from its declaration. */
export class ConsumerFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, consumer, queues, receives = [], deadLetters }: ConsumerFunctionProps) {
    const { name } = consumer;
    const clock = consumer.schedules && platform.clocks[consumer.schedules];
    const rejectsTo = consumer.rejects === true ? deadLetters : undefined;
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
        ...(rejectsTo ? [sendStatement(rejectsTo)] : []),
        ...(clock?.setStatements() ?? []),
      ],
      environment: {
        ...Object.fromEntries(sendsTo.map(({ to, queue }) => [queueVariable(to), queue.queueUrl])),
        ...(rejectsTo && { DEAD_LETTER_URL: rejectsTo.queueUrl }),
        ...clock?.environment(),
      },
      readsProgramSecrets: consumer.readsProgramSecrets,
      readsSecret: consumer.readsSecret,
      publishes: consumer.publishes,
      alarmingMessages: consumer.alarmingMessages,
      impact: consumer.impact,
      section: name,
    });
    clock?.acknowledge(this);
    for (const metric of metricList.filter(({ consumers }) => consumers.includes(name))) {
      new OwnMetric(this, metric.name, { platform, metric, service: `consumers/${name}`, logGroup: this.logGroup });
    }
  }
}

export interface QueueConsumerProps extends ConsumerFunctionProps {
  readonly source: QueueSource | BusSource;
  readonly queue: IQueue;
}

/**
 * A function that consumes a queue. If messages of a batch fail, the function reports them, and the queue delivers only
 * these again.
 */
export class QueueConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, queue, ...props }: QueueConsumerProps) {
    super(scope, id);
    const { lambda } = new ConsumerFunction(this, { ...props, receives: [receiveStatement(queue)] });

    new EventSourceMapping(this, 'Messages', {
      target: lambda,
      eventSourceArn: queue.queueArn,
      batchSize: source.batchSize,
      reportBatchItemFailures: true,
      maxConcurrency: source.maxConcurrency,
    });
  }
}

export interface NamedQueueConsumerProps extends QueueConsumerProps {
  readonly source: QueueSource;
}

/** A function that consumes a queue to which functions send by name, and to which the bus may add events. */
export class NamedQueueConsumer extends QueueConsumer {
  constructor(scope: Construct, id: string, props: NamedQueueConsumerProps) {
    super(scope, id, props);
    const { platform, consumer, source, queue } = props;
    if (!source.pattern) return;
    const undelivered = new FailureQueue(this, 'Undelivered', {
      platform,
      impact: `The bus could not put events into the queue. ${consumer.impact}`,
      section: 'the-bus-could-not-fill-a-queue',
    });
    const message = RuleTargetInput.fromEventPath('$.detail');
    const target = new SqsQueue(queue, { deadLetterQueue: undelivered.queue, message });
    new Rule(this, 'Rule', { eventBus: platform.bus, eventPattern: source.pattern, targets: [target] });
  }
}

export interface BusConsumerProps extends ConsumerFunctionProps {
  readonly source: BusSource;
}

/**
 * A function that consumes events of the bus through its own queue. While the function fails, its events wait in this
 * queue, and other consumers continue.
 */
export class BusConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: BusConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { name, severity, impact, timeoutSeconds } = consumer;
    const { queue, deadLetters } = new WorkQueue(this, 'Queue', {
      ...{ platform, name, severity, timeoutSeconds, impact },
      retries: source.retries,
    });
    const undelivered = new FailureQueue(this, 'Undelivered', {
      platform,
      impact: `The bus could not put events into the queue. ${impact}`,
      section: 'the-bus-could-not-fill-a-queue',
    });

    const target = new SqsQueue(queue, { deadLetterQueue: undelivered.queue });
    new Rule(this, 'Rule', { eventBus: platform.bus, eventPattern: source.pattern, targets: [target] });
    if (source.partnerPattern) {
      for (const [position, eventBus] of platform.partnerBuses.entries()) {
        const id = `PartnerRule${position + 1}`;
        new Rule(this, id, { eventBus, eventPattern: source.partnerPattern, targets: [target] });
      }
    }
    new QueueConsumer(this, 'Worker', { ...props, source, queue, deadLetters });
  }
}

function receiveStatement(queue: IQueue): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    resources: [queue.queueArn],
  });
}

/** A call that waits longer than this is dropped, because a later call of the schedule does the same work. */
const maxEventAge = Duration.minutes(5);

export interface ScheduledConsumerProps extends ConsumerFunctionProps {
  readonly source: ScheduleSource;
}

/** A function that a schedule calls. A failed call goes to the dead-letter queue. */
export class ScheduledConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: ScheduledConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { lambda } = new ConsumerFunction(this, props);
    const missed = new FailureQueue(this, 'Missed', {
      platform,
      impact: `The schedule could not start it. ${consumer.impact}`,
      section: 'a-schedule-did-not-run',
    });

    const role = clockRole(this, lambda, missed.queue).withoutPolicyUpdates();

    new Schedule(this, 'Clock', {
      description: consumer.name,
      schedule: ScheduleExpression.expression(source.every),
      target: new LambdaInvoke(lambda, { role, deadLetterQueue: missed.queue, maxEventAge, retryAttempts: 3 }),
    });
    const { period, periods } = heartbeatOf(source.every);
    new FailureAlarm(this, 'Heartbeat', {
      platform,
      severity: consumer.severity ?? 'ticket',
      metric: orZero(lambda.metricInvocations({ statistic: 'Sum', period }), period),
      ...{ isFloor: true, threshold: 1, periods, missing: 'itStopped' },
      impact: `The function of a schedule did not run. ${consumer.impact}`,
      section: 'a-schedule-did-not-run',
    });
  }
}

/**
 * How long a function may go without a run before its alarm goes off. The time is longer than the time between two
 * calls, so it contains at least one call. CloudWatch allows an alarm to look back one day at most, or one week if its
 * periods are hours. So long times use periods of an hour.
 */
function heartbeatOf(every: string): { readonly period: Duration; readonly periods: number } {
  const minutes = minutesBetweenCalls(every);
  const period = minutes < 60 ? Duration.minutes(minutes <= 5 ? 5 : 15) : Duration.hours(1);
  return { period, periods: Math.ceil(minutes / period.toMinutes()) + (minutes < 60 ? 1 : 2) };
}

/**
 * The role with which a schedule calls its function. The role that CDK creates could also call all versions of the
 * function.
 */
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

/**
 * Records may be this late before the alarm goes off. A stream keeps a record for 24 hours, so almost a day remains for
 * the repair.
 */
const toleratedAge = Duration.minutes(5);

/** The section of the runbook about the messages in the failure queue of a stream. */
const setAsideSection = 'records-of-the-stream-were-set-aside';

export interface StreamConsumerProps extends ConsumerFunctionProps {
  readonly source: StreamSource;
}

/**
 * A function that reads the table's stream. A failing record is isolated and repeated. If it keeps failing, the
 * dead-letter queue receives its position in the stream. A function that declares `rejects` may send a record to the
 * dead-letter queue without retries.
 */
export class StreamConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: StreamConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const severity = consumer.severity ?? 'ticket';
    const isPart = severity === 'page';
    const failures = new FailureQueue(this, 'Failures', {
      ...{ platform, severity, isPart },
      // The consumer's own `impact` describes a consumer that stands still. Here only single records are set aside.
      impact:
        `${consumer.name} set single records of the stream aside: they failed too often, cannot be read, or are refused. ` +
        'Only their work is missing; the other records go on. ' +
        'The queue keeps its messages for two weeks, and the stream its records for 24 hours.',
      section: setAsideSection,
    });
    const { lambda } = new ConsumerFunction(this, {
      ...props,
      deadLetters: failures.queue,
      receives: [...readStatements(platform), sendStatement(failures.queue)],
    });

    const mapping = new EventSourceMapping(this, 'Records', {
      target: lambda,
      eventSourceArn: streamArn(platform),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: source.batchSize,
      filters: source.filters.map((filter) => ({ pattern: JSON.stringify(filter) })),
      onFailure: { bind: () => ({ destination: failures.queue.queueArn }) },
      ...failureHandling,
    });
    // -1 repeats a record until it expires; CDK's class cannot express -1. If the property were absent, an update of
    // the stack would keep the number of an earlier deployment.
    const { defaultChild } = mapping.node;
    if (CfnResource.isCfnResource(defaultChild)) {
      defaultChild.addPropertyOverride('MaximumRetryAttempts', source.retries === 'untilExpiry' ? -1 : source.retries);
    }
    const age = new FailureAlarm(this, 'AgeAlarm', {
      ...{ platform, severity, isPart, section: consumer.name },
      metric: lambda.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
      threshold: toleratedAge.toMilliseconds(),
      impact: `Records wait too long in the stream. ${consumer.impact}`,
    });
    if (isPart) {
      new JointAlarm(this, 'JointAlarm', {
        ...{ platform, severity, section: consumer.name, parts: [age, failures.alarm] },
        impact:
          `Records of the stream wait too long: ${consumer.impact} ` +
          `Or single records were set aside, and the others go on: docs/runbook.md#${setAsideSection}.`,
      });
    }
    acknowledgeListing(this, platform);
  }
}

const failureHandling = {
  bisectBatchOnError: true,
  reportBatchItemFailures: true,
  parallelizationFactor: batchesPerShard,
} satisfies EventSourceMappingOptions;

function streamArn({ table }: Platform): string {
  if (!table.tableStreamArn) throw new Error('the table has no stream');
  return table.tableStreamArn;
}

function readStatements(platform: Platform): PolicyStatement[] {
  const { table, tableKey } = platform;
  const read = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
  const viaDynamoDb = { 'kms:ViaService': `dynamodb.${Stack.of(table).region}.amazonaws.com` };

  return [
    new PolicyStatement({ actions: read, resources: [streamArn(platform)] }),
    new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: [`${table.tableArn}/stream/*`] }),
    new PolicyStatement({
      actions: ['kms:Decrypt'],
      resources: [tableKey.keyArn],
      conditions: { StringEquals: viaDynamoDb },
    }),
  ];
}

function acknowledgeListing(scope: Construct, { table }: Platform): void {
  const { Ref: parameter } = Stack.of(scope).resolve(table.tableArn);

  Validations.of(scope).acknowledge({
    id: `AwsSolutions-IAM5[Resource::<${parameter}>/stream/*]`,
    reason: 'Streams are listed by table. A table has one stream, and DynamoDB chooses its name.',
  });
}
