import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { AnyContract, Host } from '../../shared/contracts/contract.ts';
import { accessLogFormat } from './access-log-format.ts';
import { EndpointFunction } from './endpoint-function.ts';
import { FailureAlarm } from './failure-alarm.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import type { Platform } from './platform.ts';

export interface RestHostProps {
  readonly platform: Platform;
  readonly host: Host;
  /** The contracts of this host. */
  readonly contracts: readonly AnyContract[];
}

/** One host of the specification: a regional REST API with one Lambda for each of its contracts. */
export class RestHost extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, { platform, host, contracts }: RestHostProps) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: `rewards-${platform.stage.name}-${host}`,
      description: `The ${host} host of the Rewards Platform`,
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: this.stageOptions(platform),
    });
    // Its output has a generated name; the stack gives the base URL under a name that can be relied on.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api);
    for (const contract of contracts) this.addEndpoint(platform, contract);

    new FailureAlarm(this, 'ServerErrorAlarm', {
      platform,
      metric: this.api.metricServerError({ statistic: 'Sum', period: Duration.minutes(5) }),
      breaks: `Partners get 5xx from the ${host} host.`,
    });
    this.acknowledge();
  }

  private stageOptions({ stage }: Platform): StageOptions {
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });

    return {
      stageName: stage.name,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat,
      metricsEnabled: true,
      tracingEnabled: true,
      loggingLevel: MethodLoggingLevel.ERROR,
      // A data trace would write keys, tokens and members' data to the log.
      dataTraceEnabled: false,
      throttlingRateLimit: stage.throttle.ratePerSecond,
      throttlingBurstLimit: stage.throttle.burst,
    };
  }

  private addEndpoint(platform: Platform, contract: AnyContract): void {
    const { lambda } = new EndpointFunction(this, { platform, contract });
    const integration = new LambdaIntegration(lambda, { allowTestInvoke: false });
    this.api.root.resourceForPath(contract.path).addMethod(contract.method, integration);
  }

  private acknowledge(): void {
    const endpoint =
      'Each endpoint does it by its contract: the specification mixes 400 and 401, error and code, within one API.';
    Validations.of(this.api).acknowledge(
      { id: 'AwsSolutions-APIG2', reason: `Validation. ${endpoint}` },
      { id: 'AwsSolutions-APIG4', reason: `Authentication. ${endpoint}` },
      {
        id: 'AwsSolutions-COG4',
        reason: 'Callers are organisations and members of theirs, not users of a Cognito pool.',
      },
    );
  }
}
