import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ScheduleSource } from '../../shared/contracts/consumer.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
import { FailureQueue } from './failure-queue.ts';

/** A tick that is this late is dropped: the next one does its work as well. */
const maxEventAge = Duration.minutes(5);

export interface ScheduledConsumerProps extends ConsumerFunctionProps {
  readonly source: ScheduleSource;
}

/** A function that runs by the clock; a tick that could not be handed over is kept and tells. */
export class ScheduledConsumer extends Construct {
  constructor(scope: Construct, id: string, { source, ...props }: ScheduledConsumerProps) {
    super(scope, id);
    const { platform, consumer } = props;
    const { lambda } = new ConsumerFunction(this, props);
    const missed = new FailureQueue(this, 'Missed', {
      platform,
      breaks: `The clock could not start it. ${consumer.impact}`,
    });

    const role = clockRole(this, lambda, missed.queue).withoutPolicyUpdates();

    new Schedule(this, 'Clock', {
      description: consumer.name,
      schedule: ScheduleExpression.expression(source.every),
      target: new LambdaInvoke(lambda, { role, deadLetterQueue: missed.queue, maxEventAge, retryAttempts: 3 }),
    });
  }
}

/** May start this one function. The role that CDK would make may start all of its versions too. */
function clockRole(scope: Construct, lambda: IFunction, missed: IQueue): Role {
  const { account } = Stack.of(scope);
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [lambda.functionArn] });
  const keep = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [missed.queueArn] });

  return new Role(scope, 'ClockRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
    inlinePolicies: { clock: new PolicyDocument({ statements: [invoke, keep] }) },
  });
}
