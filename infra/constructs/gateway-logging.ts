import { Validations } from 'aws-cdk-lib';
import { CfnAccount, type IStage } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

const managedPolicy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';

/**
 * Lets API Gateway write to CloudWatch. The setting is one of the account and region, not of an API:
 * that is why it is made once here and not by each RestApi.
 */
export class GatewayLogging extends Construct {
  private readonly account: CfnAccount;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    this.account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });

    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'API Gateway refuses a role for the account that may do less than this policy of its own.',
    });
  }

  /** A stage that logs can be made only once the account may. */
  enableFor(stage: IStage): void {
    stage.node.addDependency(this.account);
  }
}
