import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { AccessTrail } from '../constructs/access-trail.ts';
import { OperatorPolicies } from '../constructs/operator-policies.ts';
import type { StageSettings } from '../stages.ts';
import type { DataStack } from './data-stack.ts';

export interface AccessStackProps {
  readonly stage: StageSettings;
  readonly data: DataStack;
}

/**
 * The rights of people on the stage, and the trail of their accesses to the table. The stack is separate from the data,
 * because rights change at other times.
 */
export class AccessStack extends Stack {
  constructor(scope: Construct, id: string, { stage, data }: AccessStackProps) {
    super(scope, id, {
      env: { region: stage.region },
      description: `Rewards Platform (${stage.name}): the rights of people and the trail of their accesses`,
      terminationProtection: stage.keepsData,
    });
    const platform = data.platformFor(this);
    const { arns } = new OperatorPolicies(this, 'Operators', platform);
    for (const [name, value] of Object.entries(arns)) {
      new CfnOutput(this, `${name}-policy`, { description: `For the role of a person: ${name}`, value });
    }
    if (stage.recordsAccess) new AccessTrail(this, 'AccessTrail', platform);
  }
}
