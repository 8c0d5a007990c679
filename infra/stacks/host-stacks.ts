import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AnyContract, Host } from '../../shared/contracts/contract.ts';
import { RestHost } from '../constructs/rest-host.ts';
import { PlatformWebAcl } from '../constructs/web-acl.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';

/** The firewall in front of the six hosts. It counts the requests to all six together. */
export class EdgeStack extends Stack {
  readonly webAcl: PlatformWebAcl;

  constructor(scope: Construct, id: string, { stage }: { readonly stage: StageSettings }) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the firewall of the six hosts`,
      terminationProtection: stage.keepsData,
    });
    this.webAcl = new PlatformWebAcl(this, 'WebAcl', stage);
    this.exportValue(this.webAcl.arn);
  }
}

export interface HostStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  readonly edge: EdgeStack;
  readonly host: Host;
  /** The contracts of this host. */
  readonly contracts: readonly AnyContract[];
}

/** One host of the specification and its endpoints. */
export class HostStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, edge, host, contracts }: HostStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the ${host} host`,
      terminationProtection: stage.keepsData,
    });
    // Each host has its own construct name, so a logical id shows which host it belongs to.
    const { api, baseUrl } = new RestHost(this, titleCase(host), { platform: data.platformFor(this), host, contracts });
    edge.webAcl.protect(this, 'WebAcl', api.deploymentStage);
    new CfnOutput(this, 'Url', { value: `${baseUrl}/` });
  }
}

const titleCase = (host: Host): string => host.charAt(0).toUpperCase() + host.slice(1);
