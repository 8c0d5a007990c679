import { Arn, ArnFormat, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageSettings } from '../stages.ts';
import { FailureQueue } from './failure-queue.ts';

export interface BusClockProps {
  readonly bus: EventBus;
  readonly stage: StageSettings;
  readonly alarms: ITopic;
}

/**
 * A group of one-time schedules, which functions set, the role by which they tell the bus that something is
 * due, and a queue for what the bus could not be told. What was scheduled is state: it stays when the functions are deleted and made again.
 */
export class BusClock extends Construct {
  readonly #group: ScheduleGroup;
  readonly #role: Role;
  readonly #bus: EventBus;
  readonly #untold: Queue;

  constructor(scope: Construct, id: string, { bus, stage, alarms }: BusClockProps) {
    super(scope, id);
    this.#bus = bus;
    this.#group = new ScheduleGroup(this, 'Schedules', {
      removalPolicy: stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.#untold = new FailureQueue(this, 'Untold', {
      platform: { alarms },
      breaks: 'Schedules could not put events on the bus: campaigns start and end late, when the sweep finds them.',
    }).queue;
    const tell = new PolicyStatement({ actions: ['events:PutEvents'], resources: [bus.eventBusArn] });
    const keep = new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.#untold.queueArn] });
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.#group.scheduleGroupArn,
          },
        },
      }),
      inlinePolicies: { tell: new PolicyDocument({ statements: [tell, keep] }) },
    });
  }

  /** What a function may do that sets the clock: schedules of this group, done by this role. */
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

  /** What such a function is told. */
  environment(): Record<string, string> {
    return {
      SCHEDULE_GROUP: this.#group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: this.#role.roleArn,
      SCHEDULE_TARGET_ARN: this.#bus.eventBusArn,
      SCHEDULE_DEAD_LETTER_ARN: this.#untold.queueArn,
    };
  }

  /** Says why the role of such a function names no single schedule. */
  acknowledge(lambda: Construct): void {
    Validations.of(lambda).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${this.#schedulesArn('<AWS::AccountId>')}]`,
      reason: 'Schedules come and go while the platform runs. There are no others in their group.',
    });
  }

  /** Of all schedules of the group. */
  #schedulesArn(account?: string): string {
    const resourceName = `${this.#group.scheduleGroupName}/*`;
    const parts = { service: 'scheduler', resource: 'schedule', resourceName, ...(account && { account }) };
    return Arn.format({ ...parts, arnFormat: ArnFormat.SLASH_RESOURCE_NAME }, Stack.of(this));
  }
}
