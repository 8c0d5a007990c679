import { Duration } from 'aws-cdk-lib';
import { type CorsOptions, LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, type IAlarm, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type AnyContract, crossOriginHeaders, type Host, middlewareAccess } from '../../shared/contracts/contract.ts';
import { cacheAgeMs, timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { publicUrlOf } from '../stages.ts';
import { FailureAlarm, JointAlarm, pageShare, tooManyOf } from './alarms.ts';
import { HostApi } from './host-api.ts';
import { HostDomain } from './host-domain.ts';
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

const byContract =
  'Each endpoint does it by its contract: the specification mixes 400 and 401, error and code, within one API.';

/** One host of the specification: a regional REST API with one Lambda for each of its contracts. */
export class RestHost extends HostApi {
  /** The URL of the host for callers, without a slash at the end. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, { platform, host, contracts }: RestHostProps) {
    const { domain, throttle } = platform.stage;
    super(scope, id, {
      ...{ platform, host },
      description: `The ${host} host of the Rewards Platform`,
      // A host with a domain has no address from API Gateway. If it had one, callers could use that address to avoid a
      // limit or a block on the domain.
      hasOwnAddress: domain === undefined,
      throttle: throttle.hosts[host] ?? throttle.default,
      hasMethodMetrics: true,
      isForBrowsers: true,
      acknowledged: {
        APIG2: `Validation. ${byContract}`,
        APIG4: `Authentication. ${byContract}`,
        COG4: 'Callers are organisations and members of theirs, not users of a Cognito pool.',
      },
    });
    if (domain) new HostDomain(this, 'Domain', { api: this.api, host, domain });
    this.baseUrl = publicUrlOf(platform.stage, host) ?? this.ownUrl(platform);
    const alarm = this.#alarms(platform, host, contracts);
    const rollout = new Rollout(this, 'Rollout', { stage: platform.stage, alarm });
    for (const contract of contracts) this.#addEndpoint({ platform, contract, baseUrl: this.baseUrl }, rollout);
  }

  /**
   * Adds the alarms of the host. Returns the alarm that ends a rollout and sends callers back to the earlier version.
   * It goes off when more than one request in a thousand fails.
   */
  #alarms(platform: Platform, host: Host, contracts: readonly AnyContract[]): IAlarm {
    const section = '5xx-from-a-host';
    const outage = new FailureAlarm(this, 'OutageAlarm', {
      ...{ platform, severity: 'page', isPart: true, section },
      metric: tooManyOf({ ...this.failed, ...pageShare }),
      impact: `One request in a hundred to the ${host} host is answered with 5xx.`,
    });
    const late = contracts.flatMap((contract) => this.#lateAlarm(platform, contract) ?? []);
    new JointAlarm(this, 'JointAlarm', {
      ...{ platform, severity: 'page', parts: [outage, ...late], section },
      cause: Alarm.fromAlarmName(this, 'TableAlarm', tableAlarmName(platform.stage)),
      impact: `Partners get 5xx from the ${host} host, or wait too long for it.`,
    });
    return this.addServerErrorAlarm(platform, `Partners get 5xx from the ${host} host.`);
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

  #addEndpoint(props: EndpointProps, rollout: Rollout): void {
    const { contract } = props;
    const live = rollout.aliasOf(new EndpointFunction(this, props));
    const integration = new LambdaIntegration(live, { allowTestInvoke: false });
    const resource = this.api.root.resourceForPath(contract.path);
    resource.addMethod(contract.method, integration);
    if (contract.isForBrowsers) resource.addCorsPreflight(preflightOf(contract));
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
