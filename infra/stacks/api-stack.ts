import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { type AnyContract, type Host, hosts } from '../../shared/contracts/contract.ts';
import { GatewayLogging } from '../constructs/gateway-logging.ts';
import type { Platform } from '../constructs/platform.ts';
import { RestHost } from '../constructs/rest-host.ts';
import { PlatformWebAcl } from '../constructs/web-acl.ts';

export interface ApiStackProps {
  readonly platform: Platform;
  readonly contracts: readonly AnyContract[];
}

/** The six hosts and their endpoints. It has no state: it can be deleted and created again. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { platform, contracts }: ApiStackProps) {
    const { name, region } = platform.stage;
    super(scope, id, { env: { region }, description: `Rewards Platform (${name}): the six hosts` });
    const logging = new GatewayLogging(this, 'GatewayLogging');
    const webAcl = new PlatformWebAcl(this, 'WebAcl', platform.stage);

    for (const host of hosts) {
      const own = contracts.filter((contract) => contract.host === host);
      const { api } = new RestHost(this, titleCase(host), { platform, host, contracts: own });
      logging.enableFor(api.deploymentStage);
      webAcl.protect(titleCase(host), api.deploymentStage);
      new CfnOutput(this, `${titleCase(host)}Url`, { value: api.url });
    }
  }
}

function titleCase(host: Host): string {
  return host.charAt(0).toUpperCase() + host.slice(1);
}
