import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

const managedPolicy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * The settings that all stages in one account and region share: the role by which API Gateway writes to CloudWatch.
 * When one stage is deleted, the other stages still need this role, so the stack and its resources stay.
 */
export class AccountStack extends Stack {
  constructor(scope: Construct, id: string, { region }: { readonly region: string }) {
    super(scope, id, {
      env: { region },
      description: 'Rewards Platform: settings of the account, shared by its stages',
      terminationProtection: true,
    });
    const role = new Role(this, 'GatewayLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    const account = new CfnAccount(this, 'GatewayAccount', { cloudWatchRoleArn: role.roleArn });
    for (const resource of [role, account]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);

    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'API Gateway refuses a role with fewer permissions than this policy of AWS.',
    });
  }
}
