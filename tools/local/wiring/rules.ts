import type { Rule, RuleTarget } from '../eventbridge/rule.ts';
import type { Resource, Resources } from '../template/resources.ts';

interface TargetProperties {
  readonly Id: string;
  readonly Arn: string;
  readonly Input?: string;
  readonly InputPath?: string;
  readonly InputTransformer?: { readonly InputPathsMap?: Record<string, string>; readonly InputTemplate: string };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly RetryPolicy?: { readonly MaximumRetryAttempts?: number; readonly MaximumEventAgeInSeconds?: number };
}

interface RuleProperties {
  readonly EventBusName?: string;
  readonly EventPattern?: object;
  readonly ScheduleExpression?: string;
  readonly State?: 'ENABLED' | 'DISABLED';
  readonly Targets?: readonly TargetProperties[];
}

function retryPolicy({ MaximumRetryAttempts, MaximumEventAgeInSeconds }: NonNullable<TargetProperties['RetryPolicy']>) {
  return {
    ...(MaximumRetryAttempts !== undefined && { maximumRetryAttempts: MaximumRetryAttempts }),
    ...(MaximumEventAgeInSeconds !== undefined && { maximumEventAgeInSeconds: MaximumEventAgeInSeconds }),
  };
}

function target(properties: TargetProperties): RuleTarget {
  const { Id, Arn, Input, InputPath, InputTransformer, SqsParameters, DeadLetterConfig, RetryPolicy } = properties;
  return {
    id: Id,
    arn: Arn,
    ...(Input !== undefined && { input: Input }),
    ...(InputPath !== undefined && { inputPath: InputPath }),
    ...(InputTransformer && {
      inputTransformer: {
        inputPathsMap: InputTransformer.InputPathsMap ?? {},
        inputTemplate: InputTransformer.InputTemplate,
      },
    }),
    ...(SqsParameters?.MessageGroupId && { sqsParameters: { messageGroupId: SqsParameters.MessageGroupId } }),
    ...(DeadLetterConfig?.Arn && { deadLetterArn: DeadLetterConfig.Arn }),
    ...(RetryPolicy && { retryPolicy: retryPolicy(RetryPolicy) }),
  };
}

function rule(resource: Resource): Rule {
  const {
    EventBusName = 'default',
    EventPattern,
    ScheduleExpression,
    State,
    Targets = [],
  } = resource.properties<RuleProperties>();
  if (ScheduleExpression)
    throw new Error(`${resource.logicalId}: rules with a schedule do not run here; use EventBridge Scheduler`);
  return {
    name: resource.ref,
    busName: EventBusName.replace(/^arn:.*:event-bus\//, ''),
    ...(EventPattern && { pattern: EventPattern }),
    ...(State && { state: State }),
    targets: Targets.map(target),
  };
}

/** The rules of the template as the bus takes them. */
export function templateRules(resources: Resources): Rule[] {
  return resources.ofType('AWS::Events::Rule').map(rule);
}
