import { Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ContractHost } from '../../shared/contracts/contract.ts';
import { accessMetrics } from '../../shared/contracts/metrics.ts';
import { dataRemovalPolicy, type Throttle } from '../stages.ts';
import { FailureAlarm, ticketShare, tooManyOf } from './alarms.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { metricNamespace } from './own-metric.ts';
import type { Platform } from './platform.ts';

interface HostApiProps {
  readonly platform: Platform;
  readonly host: ContractHost;
  readonly description: string;
  /** Whether API Gateway gives the API an address of its own. */
  readonly hasOwnAddress: boolean;
  readonly throttle: Throttle;
  /** Whether CloudWatch gets metrics of each method, which cost as much as metrics of our own. */
  readonly hasMethodMetrics: boolean;
  /** Whether pages of other origins may read the replies of API Gateway itself. */
  readonly isForBrowsers: boolean;
  /** Why nothing in the API is validated and authenticated by API Gateway. */
  readonly acknowledged: Readonly<Record<string, string>>;
}

/** A regional REST API with its log and its alarm about failures. What it calls is added by its subclasses. */
export abstract class HostApi extends Construct {
  readonly api: RestApi;

  constructor(scope: Construct, id: string, props: HostApiProps) {
    super(scope, id);
    const { platform, host, description, hasOwnAddress, isForBrowsers, acknowledged } = props;
    this.api = new RestApi(this, 'Api', {
      restApiName: `rewards-${platform.stage.name}-${host}`,
      description,
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: this.#stageOptions(props),
      disableExecuteApiEndpoint: !hasOwnAddress,
    });
    // Removes CDK's output of the URL, because CDK generates the output's name.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api, { isForBrowsers });
    const reasons = Object.entries(acknowledged).map(([rule, reason]) => ({ id: `AwsSolutions-${rule}`, reason }));
    Validations.of(this.api).acknowledge(...reasons);
  }

  /** Sums of the requests and of those that were answered with 5xx. */
  protected get failed() {
    return {
      failures: this.api.metricServerError({ statistic: 'Sum' }),
      total: this.api.metricCount({ statistic: 'Sum' }),
    };
  }

  /**
   * Adds the alarm that goes off when more than one request in a thousand fails. It ends a rollout, and sends callers
   * back to the earlier version.
   */
  protected addServerErrorAlarm(platform: Platform, impact: string): IAlarm {
    return new FailureAlarm(this, 'ServerErrorAlarm', {
      ...{ platform, severity: 'ticket', section: '5xx-from-a-host', impact },
      metric: tooManyOf({ ...this.failed, ...ticketShare }),
    });
  }

  /** Counts the requests that are refused with 429: by the host's throttle, or because of contention in the table. */
  #countRefusals(platform: Platform, logGroup: LogGroup): void {
    const refused = FilterPattern.stringValue('$.status', '=', '429');
    const byFilter = {
      [accessMetrics.throttled]: FilterPattern.stringValue('$.gateway_error', '=', 'THROTTLED'),
      [accessMetrics.contention]: FilterPattern.all(refused, FilterPattern.stringValue('$.gateway_error', '=', '-')),
    };
    for (const [metricName, filterPattern] of Object.entries(byFilter)) {
      const metric = { metricNamespace: metricNamespace(platform.stage), metricName };
      new MetricFilter(this, `${metricName}-Filter`, { ...metric, logGroup, filterPattern });
    }
  }

  #stageOptions({ platform, throttle, hasMethodMetrics }: HostApiProps): StageOptions {
    const { stage } = platform;
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(stage),
    });
    this.#countRefusals(platform, accessLog);

    return {
      stageName: stage.name,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat,
      metricsEnabled: hasMethodMetrics,
      tracingEnabled: true,
      loggingLevel: MethodLoggingLevel.ERROR,
      // A data trace would write keys, tokens and members' data to the log.
      dataTraceEnabled: false,
      throttlingRateLimit: throttle.ratePerSecond,
      throttlingBurstLimit: throttle.burst,
    };
  }

  /**
   * The address that API Gateway gives the host. `api.url` would cause a circular dependency: it needs the API's stage,
   * the stage needs the functions, and the functions need this address. This address needs only the API, which depends
   * on nothing, and the name of the stage, which is known.
   */
  protected ownUrl({ stage }: Platform): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.api.restApiId}.execute-api.${region}.${urlSuffix}/${stage.name}`;
  }
}

/**
 * One JSON line per request. The line contains no headers and no query string, because headers and query strings may
 * contain keys and tokens.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    request_id: AccessLogField.contextRequestId(),
    trace_id: AccessLogField.contextXrayTraceId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    ip: AccessLogField.contextIdentitySourceIp(),
    user_agent: AccessLogField.contextIdentityUserAgent(),
    method: AccessLogField.contextHttpMethod(),
    // The route, such as `/connect/{token}`. The path itself may contain a connect token.
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    latency_ms: AccessLogField.contextResponseLatency(),
    integration_latency_ms: AccessLogField.contextIntegrationLatency(),
    integration_error: AccessLogField.contextIntegrationErrorMessage(),
    gateway_error: AccessLogField.contextErrorResponseType(),
    waf_status: AccessLogField.contextWafResponseCode(),
    response_bytes: AccessLogField.contextResponseLength(),
  }),
);
