import { Arn, ArnFormat, Duration, Stack, Validations } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { secretNameOf } from '../../shared/contracts/consumer.ts';
import type { TableAccess } from '../../shared/contracts/table.ts';
import { dataRemovalPolicy } from '../stages.ts';
import { FailureAlarm, ticketShare, tooManyOf, watchReserved } from './alarms.ts';
import { metricNamespace } from './own-metric.ts';
import type { Platform } from './platform.ts';
import { tableStatements } from './table-policy.ts';

/** A Lambda with less memory gets less of a processor, and would take twice as long to start. */
const memoryMb = 1024;

export interface PlatformFunctionProps {
  readonly platform: Platform;
  /** The function's folder below functions/ and dist/. */
  readonly folder: string;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly access: TableAccess;
  /** Permissions in addition to those for the table, the log and the trace. */
  readonly statements?: readonly PolicyStatement[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the function may read the secrets that the platform shares with partners' own programs. */
  readonly readsProgramSecrets?: boolean | undefined;
  /** The name of the one secret of the stage that the function may read. */
  readonly readsSecret?: string | undefined;
  /** The sources with which the function may put events on the bus, whose name it receives as `BUS_NAME`. */
  readonly publishes?: readonly string[] | undefined;
  /** The keys are log messages that set off an alarm. The values describe the failure that the message reports. */
  readonly alarmingMessages?: Readonly<Record<string, MessageAlarm>> | undefined;
  /** The log message of an invocation that ends in an error on purpose. Such an invocation is no failure. */
  readonly refusingMessage?: string;
  /** The consequence of a failure of the function, and for whom. */
  readonly impact: string;
  /** The section of the runbook about this failure. */
  readonly section: string;
}

/** A Lambda with exactly the declared permissions, a log, a trace and an alarm. */
export class PlatformFunction extends Construct {
  readonly lambda: LambdaFunction;
  protected readonly logGroup: LogGroup;
  /** The alarm that goes off when too many invocations of any version end in an error. */
  readonly errorAlarm: FailureAlarm;

  constructor(scope: Construct, id: string, props: PlatformFunctionProps) {
    super(scope, id);
    const { platform, folder, impact, section } = props;
    const { [folder]: reserved } = platform.stage.reservedConcurrency;
    const logGroup = new LogGroup(this, 'Log', {
      retention: platform.stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(platform.stage),
    });
    this.logGroup = logGroup;
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: platform.code(folder),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      timeout: Duration.seconds(props.timeoutSeconds),
      tracing: Tracing.ACTIVE,
      // Prevents CDK from granting permissions that are not declared.
      role: this.#role(props, logGroup).withoutPolicyUpdates(),
      logGroup,
      environment: {
        ...commonEnvironment(platform, folder),
        ...(props.publishes && { BUS_NAME: platform.bus.eventBusName }),
        ...props.environment,
      },
    });

    this.errorAlarm = new FailureAlarm(this, 'ErrorAlarm', {
      ...{ platform, severity: 'ticket', impact, section },
      metric: tooManyOf({
        failures: this.#failures(props),
        total: this.lambda.metricInvocations({ statistic: 'Sum' }),
        ...ticketShare,
      }),
    });
    watchReserved(this.lambda, { platform, impact });
    for (const [message, alarm] of Object.entries(props.alarmingMessages ?? {})) {
      this.#alarmAt(message, platform, alarm);
    }
  }

  #failures({ platform, refusingMessage }: PlatformFunctionProps): IMetric {
    const errors = this.lambda.metricErrors({ statistic: 'Sum' });
    if (refusingMessage === undefined) return errors;
    const refused = this.#countMessage(refusingMessage, platform);
    return new MathExpression({ expression: 'errors - FILL(refused, 0)', usingMetrics: { errors, refused } });
  }

  #countMessage(message: string, platform: Platform): IMetric {
    const filter = new MetricFilter(this, `${message}-Filter`, {
      logGroup: this.logGroup,
      filterPattern: FilterPattern.stringValue('$.message', '=', message),
      metricNamespace: metricNamespace(platform.stage),
      metricName: message,
    });
    return filter.metric({ statistic: 'Sum', period: Duration.minutes(5) });
  }

  #alarmAt(message: string, platform: Platform, alarm: MessageAlarm): void {
    const metric = this.#countMessage(message, platform);
    new FailureAlarm(this, `${message}-Alarm`, { platform, severity: 'ticket', metric, ...alarm });
  }

  /** Makes the role. Its policy is inline, so the role is complete when the Lambda is created. */
  #role(props: PlatformFunctionProps, logGroup: LogGroup): Role {
    const { platform, access, statements = [], readsProgramSecrets = false, readsSecret, publishes } = props;
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        declared: new PolicyDocument({
          statements: [
            logStatement(logGroup),
            traceStatement(),
            ...tableStatements(platform, access),
            ...(readsProgramSecrets ? [secretsStatement(secretsArn(platform))] : []),
            // Secrets Manager adds six characters to the name.
            ...(readsSecret ? [secretsStatement(secretArn(platform, `${readsSecret}-??????`))] : []),
            ...(publishes ? [publishStatement(platform, publishes)] : []),
            ...statements,
          ],
        }),
      },
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray actions have no resource to name. Without them there is no trace.',
    });

    if (readsProgramSecrets) {
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${secretsArn(platform, '<AWS::AccountId>')}]`,
        reason: 'Programs come and go while the platform runs. Each has one secret, whose name begins alike.',
      });
    }
    return role;
  }
}

interface MessageAlarm {
  readonly impact: string;
  readonly section: string;
}

/** ARN pattern of the secrets that the platform shares with partners' own programs. */
const secretsArn = (platform: Platform, account?: string): string => secretArn(platform, 'program/*', account);

/** ARN pattern of secrets of the stage. */
function secretArn({ stage, table }: Platform, secret: string, account?: string): string {
  const resourceName = secretNameOf(stage.name, secret);
  const parts = { service: 'secretsmanager', resource: 'secret', resourceName };
  return Arn.format(
    { ...parts, ...(account && { account }), arnFormat: ArnFormat.COLON_RESOURCE_NAME },
    Stack.of(table),
  );
}

const secretsStatement = (arn: string) =>
  new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [arn] });

function publishStatement({ bus }: Platform, sources: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    actions: ['events:PutEvents'],
    resources: [bus.eventBusArn],
    conditions: { StringEquals: { 'events:source': sources } },
  });
}

function commonEnvironment({ stage, table }: Platform, folder: string): Record<string, string> {
  return {
    STAGE: stage.name,
    TABLE_NAME: table.tableName,
    WEBHOOK_HTTP_HOSTS: stage.webhookHttpHosts.join(','),
    POWERTOOLS_SERVICE_NAME: folder,
    POWERTOOLS_METRICS_NAMESPACE: metricNamespace(stage),
    POWERTOOLS_LOG_LEVEL: stage.logLevel,
  };
}

function logStatement(logGroup: LogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
}

function traceStatement(): PolicyStatement {
  return new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });
}
