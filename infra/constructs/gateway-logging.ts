import { Validations } from 'aws-cdk-lib';
import { CfnAccount, type IStage } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

const managedPolicy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/** Allows API Gateway to write to CloudWatch. The setting belongs to account and region, so it exists once. */
export class GatewayLogging extends Construct {
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
