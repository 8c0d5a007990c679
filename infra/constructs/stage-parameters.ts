import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
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

/** Returns the value that an earlier stack has stored, also in another region. It is read when the stack is deployed. */
export function storedParameter(stack: Stack, stage: StageSettings, parameter: StageParameter): string {
  const name = parameterNameOf(stage.name, parameter);
  return regionOf(stage, parameter) === stack.region
    ? StringParameter.valueForStringParameter(stack, name)
    : readElsewhere(stack, stage, parameter);
}

/**
 * CloudFormation reads parameters of its own region only. A function of CDK reads those of another one. It runs again
 * when the template changes, so the domain of the stage, which decides the values, is part of it.
 */
function readElsewhere(stack: Stack, stage: StageSettings, parameter: StageParameter): string {
  const call = {
    ...{ service: 'SSM', action: 'getParameter', region: regionOf(stage, parameter) },
    parameters: { Name: parameterNameOf(stage.name, parameter) },
    physicalResourceId: PhysicalResourceId.of(`${parameter} with ${stage.domain?.name ?? 'no domain'}`),
  };
  const reading = new AwsCustomResource(stack, `Read-${parameter.replace('/', '-')}`, {
    onUpdate: call,
    policy: AwsCustomResourcePolicy.fromSdkCalls({ resources: [arnOf(stack, stage, parameter)] }),
    installLatestAwsSdk: false,
  });
  const reason = "CDK's own function reads a parameter of another region. It runs during deployments only.";
  const managed = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  Validations.of(stack).acknowledge({ id: 'AwsSolutions-L1', reason }, { id: `AwsSolutions-IAM4[${managed}]`, reason });
  return reading.getResponseField('Parameter.Value');
}

/** The permission to read the values that `openSiteSettings` reads. */
export function siteSettingsStatement(scope: Construct, stage: StageSettings): PolicyStatement {
  const { dashboardUrl, identityIssuer, identityClient } = stageParameters;
  return new PolicyStatement({
    actions: ['ssm:GetParameters'],
    resources: [dashboardUrl, identityIssuer, identityClient].map((parameter) => arnOf(scope, stage, parameter)),
  });
}

/** The address of the dashboard is stored by the sites, every other value by a stack in the region of the stage. */
const regionOf = (stage: StageSettings, parameter: StageParameter): string =>
  parameter === stageParameters.dashboardUrl ? sitesRegion : stage.region;

const arnOf = (scope: Construct, stage: StageSettings, parameter: StageParameter): string =>
  Stack.of(scope).formatArn({
    ...{ service: 'ssm', region: regionOf(stage, parameter), resource: 'parameter' },
    resourceName: parameterNameOf(stage.name, parameter).slice(1),
  });
