import { Validations } from 'aws-cdk-lib';
import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StageSettings } from '../stages.ts';
import type { PlatformFunction } from './platform-function.ts';

const managedPolicy = 'service-role/AWSCodeDeployRoleForLambdaLimited';

export interface RolloutProps {
  readonly stage: StageSettings;
  /** Goes off when the host answers 5xx. */
  readonly alarm: IAlarm;
}

/**
 * Moves a host's callers to new versions of its functions. If an alarm of the host or of the function goes off
 * meanwhile, all requests go to the earlier version again, and the deployment of the stack fails.
 */
export class Rollout extends Construct {
  readonly #application: LambdaApplication;
  readonly #role: Role;
  readonly #props: RolloutProps;

  constructor(scope: Construct, id: string, props: RolloutProps) {
    super(scope, id);
    this.#props = props;
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    Validations.of(this.#role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'The policy that AWS made for this purpose: it moves aliases and reads alarms.',
    });
  }

  /** The alias that callers use: it leads to the newest version, or to two versions during a rollout. */
  aliasOf(endpoint: PlatformFunction): IFunction {
    const { stage, alarm } = this.#props;
    const { CANARY_10PERCENT_10MINUTES: gradually, ALL_AT_ONCE: atOnce } = LambdaDeploymentConfig;
    const alias = endpoint.lambda.addAlias('live');
    new LambdaDeploymentGroup(endpoint, 'Rollout', {
      alias,
      application: this.#application,
      role: this.#role.withoutPolicyUpdates(),
      deploymentConfig: stage.rollsOutGradually ? gradually : atOnce,
      alarms: [endpoint.errorAlarm, alarm],
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    });
    // CDK declares the optional role differently in `Alias` and in `IFunction`.
    return alias as IFunction;
  }
}
