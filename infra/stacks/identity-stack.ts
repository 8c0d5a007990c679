import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { UserPoolTriggers } from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { stageParameters } from '../../shared/contracts/edge.ts';
import { type PoolTrigger, refusedSignUpMessage } from '../../shared/contracts/pool-trigger.ts';
import type { Platform } from '../constructs/platform.ts';
import { PlatformFunction } from '../constructs/platform-function.ts';
import { StaffPool } from '../constructs/staff-pool.ts';
import { storedParameter, storeParameter } from '../constructs/stage-parameters.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';

export interface IdentityStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
  readonly triggers: readonly PoolTrigger[];
}

/**
 * Who may sign in to the dashboard. The stack is deployed after the sites, because the pool's client names the address
 * of the dashboard. The functions of the management host read issuer and client from the Parameter Store.
 */
export class IdentityStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data, triggers }: IdentityStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the people who may sign in to the dashboard`,
      terminationProtection: stage.keepsData,
    });
    const { pool, client } = new StaffPool(this, 'Staff', {
      stage,
      dashboardUrl: storedParameter(this, stage, stageParameters.dashboardUrl),
      triggers: this.#addTriggers(data.platformFor(this), triggers),
    });
    storeParameter(this, stage, stageParameters.identityIssuer, pool.userPoolProviderUrl);
    storeParameter(this, stage, stageParameters.identityClient, client.userPoolClientId);
    new CfnOutput(this, 'UserPoolId', { value: pool.userPoolId });
    Validations.of(pool).acknowledge({
      id: 'AwsSolutions-COG8',
      reason:
        'The Plus plan costs more for each person and adds the scoring of risky sign-ins. Every sign-in needs two factors.',
    });
  }

  #addTriggers(platform: Platform, triggers: readonly PoolTrigger[]): UserPoolTriggers {
    const functions = triggers.map(({ name, step, impact, access }) => {
      const { lambda } = new PlatformFunction(this, name, {
        ...{ platform, impact, access, folder: `identity/${name}`, description: 'Admits invited people to the pool' },
        // Cognito waits this long.
        timeoutSeconds: 5,
        refusingMessage: refusedSignUpMessage,
        section: 'nobody-can-sign-in-to-the-dashboard',
      });
      return [step, lambda];
    });
    return Object.fromEntries(functions);
  }
}
