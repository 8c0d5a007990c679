import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { stageParameters } from '../../shared/contracts/edge.ts';
import { ManagementHost, type ManagementResources } from '../constructs/management-host.ts';
import { storeParameter } from '../constructs/stage-parameters.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';
import type { EdgeStack } from './host-stacks.ts';

export interface ManagementStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  readonly edge: EdgeStack;
  readonly resources: ManagementResources;
}

/** The API of the dashboard and its functions. */
export class ManagementStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, edge, resources }: ManagementStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the API of the dashboard`,
      terminationProtection: stage.keepsData,
    });
    const host = new ManagementHost(this, 'Management', { platform: data.platformFor(this), resources });
    edge.webAcl.protect(this, 'WebAcl', host.api.deploymentStage);
    storeParameter(this, stage, stageParameters.managementDomain, host.domainName);
    new CfnOutput(this, 'Domain', { value: host.domainName });
  }
}
