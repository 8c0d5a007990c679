import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { parameterNameOf, type StageParameter, sitesRegion, stageParameters } from '../../shared/contracts/edge.ts';
import type { StageSettings } from '../stages.ts';

/** Stores a value of the stage in the Parameter Store, for stacks that are deployed later and for functions. */
export function storeParameter(scope: Construct, stage: StageSettings, parameter: StageParameter, value: string): void {
  new StringParameter(scope, `Parameter-${parameter.replace('/', '-')}`, {
    parameterName: parameterNameOf(stage.name, parameter),
    stringValue: value,
  });
}

/** Returns the value that an earlier stack of the same region has stored. It is read at each deployment. */
export const storedParameter = (stack: Stack, stage: StageSettings, parameter: StageParameter): string =>
  StringParameter.valueForStringParameter(stack, parameterNameOf(stage.name, parameter));

/** The permission to read the values that `openSiteSettings` reads. */
export function siteSettingsStatement(scope: Construct, stage: StageSettings): PolicyStatement {
  const arnIn = (region: string, parameter: StageParameter) =>
    Stack.of(scope).formatArn({
      ...{ service: 'ssm', region, resource: 'parameter' },
      resourceName: parameterNameOf(stage.name, parameter).slice(1),
    });
  return new PolicyStatement({
    actions: ['ssm:GetParameters'],
    resources: [
      arnIn(sitesRegion, stageParameters.dashboardUrl),
      arnIn(stage.region, stageParameters.identityIssuer),
      arnIn(stage.region, stageParameters.identityClient),
    ],
  });
}
