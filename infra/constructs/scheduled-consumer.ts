import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ScheduleSource } from '../../shared/contracts/consumer.ts';
import { ConsumerFunction, type ConsumerFunctionProps } from './consumer-function.ts';
import { FailureQueue, sendStatement } from './queues.ts';

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
