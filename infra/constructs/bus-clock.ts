import { Arn, ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ScheduledEvent } from '../../shared/contracts/consumer.ts';
import { platformSource } from '../../shared/contracts/events.ts';
import { dataRemovalPolicy, type StageSettings } from '../stages.ts';
import type { AlarmTopics } from './alarms.ts';
import { FailureQueue, sendStatement } from './queues.ts';

export interface BusClockProps {
  readonly bus: EventBus;
  readonly stage: StageSettings;
  readonly alarms: AlarmTopics;
  /** The only event that the schedules may put on the bus. */
  readonly detailType: ScheduledEvent;
  /** What fails, and for whom, when a schedule fails. */
  readonly impact: string;
}

/**
 * A group of one-time schedules for one event. Functions set the schedules. When its time comes, a schedule puts the
 * event on the bus. Schedules are data, so they outlive the stack of the functions.
 */
export class BusClock extends Construct {
  readonly #group: ScheduleGroup;
  readonly #role: Role;
  readonly #bus: EventBus;
  readonly #failures: Queue;

  constructor(scope: Construct, id: string, { bus, stage, alarms, detailType, impact }: BusClockProps) {
    super(scope, id);
    this.#bus = bus;
    this.#group = new ScheduleGroup(this, 'Schedules', { removalPolicy: dataRemovalPolicy(stage) });
    this.#failures = new FailureQueue(this, 'Failures', {
      platform: { alarms },
      section: 'schedules-could-not-put-events-on-the-bus',
      impact: `Schedules could not put events on the bus. ${impact}`,
    }).queue;
    const publish = new PolicyStatement({
      actions: ['events:PutEvents'],
      resources: [bus.eventBusArn],
      conditions: { StringEquals: { 'events:source': platformSource, 'events:detail-type': detailType } },
    });
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.#group.scheduleGroupArn,
          },
        },
      }),
      inlinePolicies: {
        publish: new PolicyDocument({ statements: [publish, sendStatement(this.#failures)] }),
      },
    });
  }

  /** The values that the stacks of the functions use. */
  exportedValues(): string[] {
    return [this.#role.roleArn, this.#failures.queueArn];
  }

  /**
   * The permissions of a function that sets schedules of this group: to write them, and to pass the group's role to
   * them.
   */
  setStatements(): PolicyStatement[] {
    const actions = ['Create', 'Get', 'Update', 'Delete'].map((verb) => `scheduler:${verb}Schedule`);
    return [
      new PolicyStatement({ actions, resources: [this.#schedulesArn()] }),
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      }),
    ];
  }

  /** The environment variables of a function that sets schedules. */
  environment(): Record<string, string> {
    return {
      SCHEDULE_GROUP: this.#group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: this.#role.roleArn,
      SCHEDULE_TARGET_ARN: this.#bus.eventBusArn,
      SCHEDULE_DEAD_LETTER_ARN: this.#failures.queueArn,
    };
  }

  /**
   * Tells cdk-nag that one wide permission is intended: a function that sets schedules may set every schedule of the
   * group.
   */
  acknowledge(lambda: Construct): void {
    Validations.of(lambda).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${this.#schedulesArn('<AWS::AccountId>')}]`,
      reason: 'Schedules come and go while the platform runs. There are no others in their group.',
    });
  }

  /** ARN pattern of all schedules of the group. */
  #schedulesArn(account?: string): string {
    const resourceName = `${this.#group.scheduleGroupName}/*`;
    const parts = { service: 'scheduler', resource: 'schedule', resourceName, ...(account && { account }) };
    return Arn.format({ ...parts, arnFormat: ArnFormat.SLASH_RESOURCE_NAME }, Stack.of(this));
  }
}
