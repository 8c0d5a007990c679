import { LambdaIntegration } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import {
  type ManagementContract,
  managementHost,
  managementPath,
  middlewareAccess,
} from '../../shared/contracts/contract.ts';
import { edgeSecret } from '../../shared/contracts/edge.ts';
import { timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { HostApi } from './host-api.ts';
import type { Platform } from './platform.ts';
import { PlatformFunction } from './platform-function.ts';
import { Rollout } from './rollout.ts';
import { siteSettingsStatement } from './stage-parameters.ts';
import { joinAccess } from './table-policy.ts';

/** The contracts of the host by resource: functions/management/contracts.ts. */
export type ManagementResources = Readonly<Record<string, readonly ManagementContract[]>>;

export interface ManagementHostProps {
  readonly platform: Platform;
  readonly resources: ManagementResources;
}

const byContract = 'Each endpoint does it by its contract, as the endpoints of the other hosts.';

/**
 * The host that only the dashboard calls: a REST API with one Lambda for each resource. People click slowly, and with a
 * Lambda for each endpoint almost every click would wait for a cold start (decision 0185).
 */
export class ManagementHost extends HostApi {
  constructor(scope: Construct, id: string, { platform, resources }: ManagementHostProps) {
    super(scope, id, {
      ...{ platform, host: managementHost },
      description: 'The host of the dashboard of the Rewards Platform',
      // The delivery network calls the API by this address. Without the network's secret every call is refused.
      hasOwnAddress: true,
      throttle: platform.stage.throttle.default,
      hasMethodMetrics: false,
      isForBrowsers: false,
      acknowledged: {
        APIG2: `Validation. ${byContract}`,
        APIG4: `Authentication. ${byContract}`,
        COG4: 'The functions check the session of a person themselves: it is in the table, with roles and organisations.',
      },
    });
    const alarm = this.addServerErrorAlarm(platform, 'People at the dashboard get 5xx.');
    const rollout = new Rollout(this, 'Rollout', { stage: platform.stage, alarm });
    for (const [resource, contracts] of Object.entries(resources)) {
      this.#addResource({ platform, resource, contracts }, rollout);
    }
  }

  /** The domain name of the API. */
  get domainName(): string {
    const { region, urlSuffix } = this.api.stack;
    return `${this.api.restApiId}.execute-api.${region}.${urlSuffix}`;
  }

  #addResource(props: ResourceProps, rollout: Rollout): void {
    const live = rollout.aliasOf(new ResourceFunction(this, props));
    const integration = new LambdaIntegration(live, { allowTestInvoke: false });
    for (const { method, path } of props.contracts) {
      this.api.root.resourceForPath(managementPath + path).addMethod(method, integration);
    }
  }
}

interface ResourceProps {
  readonly platform: Platform;
  readonly resource: string;
  readonly contracts: readonly ManagementContract[];
}

/** The Lambda of a resource. It may do what the contracts of the resource declare together. */
class ResourceFunction extends PlatformFunction {
  constructor(scope: Construct, { platform, resource, contracts }: ResourceProps) {
    const publishes = [...new Set(contracts.flatMap((contract) => contract.publishes ?? []))];
    super(scope, resource, {
      platform,
      folder: `${managementHost}/${resource}`,
      description: `The dashboard's API: ${resource}`,
      timeoutSeconds: toSeconds(timingMs.endpointTimeout),
      access: joinAccess(...contracts.flatMap((contract) => [contract.access, middlewareAccess(contract)])),
      readsProgramSecrets: contracts.some((contract) => contract.readsProgramSecrets),
      readsSecret: edgeSecret,
      statements: [siteSettingsStatement(scope, platform.stage)],
      ...(publishes.length > 0 && { publishes }),
      alarmingMessages: Object.assign({}, ...contracts.map((contract) => contract.alarmingMessages)),
      impact: `${resource} at the dashboard fails for the people of merchants and partners.`,
      section: 'an-endpoint-fails',
    });
  }
}
