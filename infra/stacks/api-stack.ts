import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount, type IStage } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { type AnyContract, type Host, hosts } from '../../shared/contracts/contract.ts';
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

const managedPolicy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** Allows API Gateway to write to CloudWatch. The setting belongs to account and region, so it exists once. */
class GatewayLogging extends Construct {
  readonly #account: CfnAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    this.#account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });

    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'API Gateway refuses a role with fewer permissions than this policy of AWS.',
    });
  }

  /** A stage with logs can only be created after the account setting. */
  enableFor(stage: IStage): void {
    stage.node.addDependency(this.#account);
  }
}
