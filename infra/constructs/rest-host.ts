import { Duration, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  type CorsOptions,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Alarm, type IAlarm, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type AnyContract, crossOriginHeaders, type Host, middlewareAccess } from '../../shared/contracts/contract.ts';
import { cacheAgeMs, timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { accessMetrics } from '../../shared/contracts/metrics.ts';
import { dataRemovalPolicy, publicUrlOf } from '../stages.ts';
import { FailureAlarm, JointAlarm, pageShare, ticketShare, tooManyOf } from './alarms.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { HostDomain } from './host-domain.ts';
import { metricNamespace } from './own-metric.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { Rollout } from './rollout.ts';
import { tableAlarmName } from './table-alarms.ts';
import { joinAccess } from './table-policy.ts';

export interface RestHostProps {
  readonly platform: Platform;
  readonly host: Host;
  /** The contracts of this host. */
  readonly contracts: readonly AnyContract[];
}

/** One host of the specification: a regional REST API with one Lambda for each of its contracts. */
export class RestHost extends Construct {
  readonly api: RestApi;
  /** The URL of the host for callers, without a slash at the end. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { platform, host, contracts }: RestHostProps) {
    super(scope, id);
    this.api = new RestApi(this, 'Api', {
      restApiName: `rewards-${platform.stage.name}-${host}`,
      description: `The ${host} host of the Rewards Platform`,
      endpointTypes: [EndpointType.REGIONAL],
      deployOptions: this.#stageOptions(platform, host),
      // A host with a domain has no address from API Gateway. If it had one, callers could use that address to avoid a
      // limit or a block on the domain.
      disableExecuteApiEndpoint: platform.stage.domain !== undefined,
    });
    // Removes CDK's output of the URL, because CDK generates the output's name. HostStack adds an output of its own.
    this.api.node.tryRemoveChild('Endpoint');
    addGatewayResponses(this.api);
    const { domain } = platform.stage;
    if (domain) new HostDomain(this, 'Domain', { api: this.api, host, domain });
    this.baseUrl = publicUrlOf(platform.stage, host) ?? this.#ownUrl(platform);
    const alarm = this.#alarms(platform, host, contracts);
    const rollout = new Rollout(this, 'Rollout', { stage: platform.stage, alarm });
    for (const contract of contracts) this.#addEndpoint({ platform, contract, baseUrl: this.baseUrl }, rollout);

    this.#acknowledge();
  }

  /**
   * Adds the alarms of the host. Returns the alarm that ends a rollout and sends callers back to the earlier version.
   * It goes off when more than one request in a thousand fails.
   */
  #alarms(platform: Platform, host: Host, contracts: readonly AnyContract[]): IAlarm {
    const failed = {
      failures: this.api.metricServerError({ statistic: 'Sum' }),
      total: this.api.metricCount({ statistic: 'Sum' }),
    };
    const section = '5xx-from-a-host';
    const outage = new FailureAlarm(this, 'OutageAlarm', {
      ...{ platform, severity: 'page', isPart: true, section },
      metric: tooManyOf({ ...failed, ...pageShare }),
      impact: `One request in a hundred to the ${host} host is answered with 5xx.`,
    });
    const late = contracts.flatMap((contract) => this.#lateAlarm(platform, contract) ?? []);
    new JointAlarm(this, 'JointAlarm', {
      ...{ platform, severity: 'page', parts: [outage, ...late], section },
      cause: Alarm.fromAlarmName(this, 'TableAlarm', tableAlarmName(platform.stage)),
      impact: `Partners get 5xx from the ${host} host, or wait too long for it.`,
    });
    return new FailureAlarm(this, 'ServerErrorAlarm', {
      ...{ platform, severity: 'ticket', section },
      metric: tooManyOf({ ...failed, ...ticketShare }),
      impact: `Partners get 5xx from the ${host} host.`,
    });
  }

  /** The alarm about slow replies of an endpoint for which a customer waits. */
  #lateAlarm(platform: Platform, { name, method, path, p99GoalMs }: AnyContract): FailureAlarm | undefined {
    if (p99GoalMs === undefined) return undefined;
    const of = (metricName: string, statistic: string) =>
      this.api.metric(metricName, {
        statistic,
        dimensionsMap: {
          ...{ ApiName: this.api.restApiName, Stage: platform.stage.name },
          ...{ Method: method, Resource: path },
        },
      });
    return new FailureAlarm(this, `LateAlarm-${name}`, {
      ...{ platform, severity: 'page', isPart: true, section: 'an-endpoint-is-slow', periods: 2 },
      metric: new MathExpression({
        expression: `IF(requests >= ${minimumOfPercentile}, late, 0)`,
        usingMetrics: { requests: of('Count', 'Sum'), late: of('Latency', 'p99') },
        label: 'p99 in milliseconds',
        period: Duration.minutes(5),
      }),
      threshold: p99GoalMs,
      impact: `One request in a hundred to ${method} ${path} takes longer than ${p99GoalMs} ms: customers wait at the till.`,
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

  #stageOptions(platform: Platform, host: Host): StageOptions {
    const { stage } = platform;
    const { ratePerSecond, burst } = stage.throttle.hosts[host] ?? stage.throttle.default;
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(stage),
    });
    this.#countRefusals(platform, accessLog);

    return {
      stageName: stage.name,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat,
      metricsEnabled: true,
      tracingEnabled: true,
      loggingLevel: MethodLoggingLevel.ERROR,
      // A data trace would write keys, tokens and members' data to the log.
      dataTraceEnabled: false,
      throttlingRateLimit: ratePerSecond,
      throttlingBurstLimit: burst,
    };
  }

  /**
   * The address that API Gateway gives the host. `api.url` would cause a circular dependency: it needs the API's stage,
   * the stage needs the functions, and the functions need this address. This address needs only the API, which depends
   * on nothing, and the name of the stage, which is known.
   */
  #ownUrl({ stage }: Platform): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.api.restApiId}.execute-api.${region}.${urlSuffix}/${stage.name}`;
  }

  #addEndpoint(props: EndpointProps, rollout: Rollout): void {
    const { contract } = props;
    const live = rollout.aliasOf(new EndpointFunction(this, props));
    const integration = new LambdaIntegration(live, { allowTestInvoke: false });
    const resource = this.api.root.resourceForPath(contract.path);
    resource.addMethod(contract.method, integration);
    if (contract.isForBrowsers) resource.addCorsPreflight(preflightOf(contract));
  }

  #acknowledge(): void {
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

/** The answer to a browser that asks whether a page of another origin may call an endpoint. */
function preflightOf({ method }: AnyContract): CorsOptions {
  return {
    allowOrigins: [crossOriginHeaders['Access-Control-Allow-Origin']],
    allowMethods: [method],
    allowHeaders: ['Content-Type'],
    maxAge: Duration.millis(cacheAgeMs.crossOriginPermission),
  };
}

/** A period with fewer requests than this causes no alarm, because its p99 is only the time of the slowest request. */
const minimumOfPercentile = 100;

interface EndpointProps {
  readonly platform: Platform;
  readonly contract: AnyContract;
  readonly baseUrl: string;
}

/** The Lambda of one endpoint. It may do what its contract declares, and what the steps of every endpoint need. */
class EndpointFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, contract, baseUrl }: EndpointProps) {
    const { host, name, method, path, summary } = contract;
    super(scope, name, {
      platform,
      folder: `${host}/${name}`,
      description: summary.slice(0, 256),
      timeoutSeconds: toSeconds(timingMs.endpointTimeout),
      access: joinAccess(contract.access, middlewareAccess(contract)),
      readsProgramSecrets: contract.readsProgramSecrets,
      publishes: contract.publishes,
      alarmingMessages: contract.alarmingMessages,
      environment: { BASE_URL: baseUrl },
      impact: `${method} ${path} of the ${host} host fails for partners. ${summary}`,
      section: 'an-endpoint-fails',
    });
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
