import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { StageSettings } from '../stages.ts';

/** `page` wakes the person on call at once. `ticket` waits for the next working day. */
export type Severity = keyof StageSettings['alarmAddresses'];
export const severities = ['page', 'ticket'] as const satisfies readonly Severity[];

/** The topics of all alarms, one for each severity. */
export type AlarmTopics = Readonly<Record<Severity, ITopic>>;

/** The two topics of alarms, which notify the addresses of the stage. */
export class PlatformAlarmTopics extends Construct {
  readonly topics: Readonly<Record<Severity, Topic>>;

  constructor(scope: Construct, id: string, { stage }: { readonly stage: StageSettings }) {
    super(scope, id);

    // CloudWatch has no permission to use the default key of SNS: with that key, alarms are lost without an error.
    const masterKey = new Key(this, 'Key', {
      description: 'Encrypts alarms on their way',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const topicOf = (severity: Severity) => {
      const topic = new Topic(this, severity, { masterKey, enforceSSL: true });
      // `grantPublish` also allows the service to use the key of the topic.
      for (const service of publishers[severity]) topic.grantPublish(new ServicePrincipal(service));
      for (const [position, endpoint] of stage.alarmAddresses[severity].entries()) {
        const protocol = endpoint.startsWith('https:') ? SubscriptionProtocol.HTTPS : SubscriptionProtocol.EMAIL;
        new Subscription(this, `${severity}-${position + 1}`, { topic, endpoint, protocol });
      }
      return topic;
    };
    this.topics = { page: topicOf('page'), ticket: topicOf('ticket') };
  }
}

/** The services that may publish to each topic. A budget never wakes the person on call. */
const publishers: Readonly<Record<Severity, readonly string[]>> = {
  page: ['cloudwatch.amazonaws.com'],
  ticket: ['cloudwatch.amazonaws.com', 'budgets.amazonaws.com'],
};

/** How an alarm treats a time without data. Every alarm names one of these reasons. */
const missingData = {
  /** The service writes the metric only while something happens: no data is no failure. */
  nothingHappened: TreatMissingData.NOT_BREACHING,
  /** The metric is written at all times: no data is the failure. */
  itStopped: TreatMissingData.BREACHING,
};

/** The properties that every alarm has. */
interface AlarmText {
  /** The topics of the platform's alarms. */
  readonly platform: { readonly alarms: AlarmTopics };
  readonly severity: Severity;
  /** The consequence of the failure, and for whom: the first text that a person on call reads. */
  readonly impact: string;
  /** The anchor of a section of docs/runbook.md. */
  readonly section: string;
}

export interface FailureAlarmProps extends AlarmText {
  readonly metric: IMetric;
  /** The highest value that causes no alarm; with `isFloor`, the lowest. Zero by default. */
  readonly threshold?: number;
  /** Whether values below the threshold are the failure. */
  readonly isFloor?: boolean;
  /** How many periods in a row have to fail before the alarm goes off; one by default. */
  readonly periods?: number | undefined;
  readonly missing?: keyof typeof missingData;
  /** A fixed name, for alarms that another stack names; by default CloudFormation chooses one. */
  readonly name?: string;
  /** Whether the alarm is a part of a {@link JointAlarm}. Then the joint alarm notifies, and this one does not. */
  readonly isPart?: boolean;
}

/** Goes off when a metric is above the threshold, or below it with `isFloor`. The severity decides the topic. */
export class FailureAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: FailureAlarmProps) {
    const { metric, threshold = 0, isFloor = false, periods = 1, missing = 'nothingHappened', isPart = false } = props;
    super(scope, id, {
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: isFloor ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: missingData[missing],
      ...(props.name && { alarmName: props.name }),
      alarmDescription: descriptionOf(props),
    });
    if (!isPart) this.addAlarmAction(new SnsAction(props.platform.alarms[props.severity]));
  }
}

export interface JointAlarmProps extends AlarmText {
  readonly parts: readonly IAlarm[];
  /**
   * The alarm of a possible cause. While this alarm is on, the joint alarm stays silent, because the alarm of the cause
   * has already notified.
   */
  readonly cause?: IAlarm;
}

/** Joins several alarms about one failure. It notifies once, when the first of them goes off. */
export class JointAlarm extends CompositeAlarm {
  constructor(scope: Construct, id: string, props: JointAlarmProps) {
    super(scope, id, {
      alarmRule: AlarmRule.anyOf(...props.parts),
      alarmDescription: descriptionOf(props),
      ...(props.cause && {
        actionsSuppressor: props.cause,
        // CloudWatch may notice the cause a little later than its effect.
        actionsSuppressorWaitPeriod: Duration.minutes(2),
        actionsSuppressorExtensionPeriod: Duration.minutes(2),
      }),
    });
    this.addAlarmAction(new SnsAction(props.platform.alarms[props.severity]));
  }
}

const descriptionOf = ({ impact, severity, section }: AlarmText) =>
  `${impact} (${severity}; docs/runbook.md#${section})`;

export interface ShareProps {
  readonly failures: IMetric;
  readonly total: IMetric;
  /** The share of failures that is tolerated. */
  readonly share: number;
  /** A period with fewer failures than this causes no alarm, even if their share is high. */
  readonly minimum: number;
  readonly period?: Duration;
}

/**
 * Returns the number of failures if their share is too high, else zero. So one time-out in a million causes no alarm.
 */
export function tooManyOf({ failures, total, share, minimum, period = Duration.minutes(5) }: ShareProps): IMetric {
  return new MathExpression({
    expression: `IF(failures >= ${minimum} AND failures > ${share} * total, failures, 0)`,
    usingMetrics: { failures, total },
    label: 'failures, if too many',
    period,
  });
}

/**
 * Returns the values of a metric, and zero for periods without data. If values were missing, CloudWatch would look for
 * older values, and the alarm would be late.
 */
export function orZero(metric: IMetric, period: Duration): IMetric {
  return new MathExpression({ expression: 'FILL(present, 0)', usingMetrics: { present: metric }, period });
}

/** An alarm goes off at this share of a quota, so that operators have time to raise the quota. */
export const earlyShare = 0.8;

/**
 * Adds the alarm of a function with reserved concurrency. Lambda refuses invocations above the reservation, so the
 * alarm goes off before it is used up.
 */
export function watchReserved(
  lambda: LambdaFunction,
  { platform, impact }: Pick<FailureAlarmProps, 'platform' | 'impact'>,
): void {
  const { defaultChild } = lambda.node;
  const reserved = defaultChild instanceof CfnFunction ? defaultChild.reservedConcurrentExecutions : undefined;
  if (reserved === undefined) return;
  new FailureAlarm(lambda, 'ReservedAlarm', {
    ...{ platform, severity: 'ticket', section: 'functions-are-near-their-quota', periods: 5 },
    metric: lambda.metric('ConcurrentExecutions', { statistic: 'Maximum', period: Duration.minutes(1) }),
    threshold: earlyShare * reserved,
    impact: `The function uses most of its ${reserved} reserved executions. At that number: ${impact}`,
  });
}

/** A ticket is sent when more than this share of requests or invocations fails, even if it is only one failure. */
export const ticketShare = { share: 0.001, minimum: 1 } as const;

/** A page is sent when more than this share of requests fails, and at least `minimum` requests fail in five minutes. */
export const pageShare = { share: 0.01, minimum: 5 } as const;
