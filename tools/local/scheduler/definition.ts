/**
 * A schedule as the API's CreateSchedule takes it, which is also how `AWS::Scheduler::Schedule` declares it in a
 * template. Dates are seconds since the epoch in the former and ISO texts in the latter; both are read.
 */
export interface ScheduleDefinition {
  readonly Name: string;
  readonly GroupName?: string;
  readonly Description?: string;
  readonly ScheduleExpression: string;
  readonly ScheduleExpressionTimezone?: string;
  readonly StartDate?: number | string;
  readonly EndDate?: number | string;
  readonly State?: 'ENABLED' | 'DISABLED';
  readonly FlexibleTimeWindow: { readonly Mode: 'OFF' | 'FLEXIBLE'; readonly MaximumWindowInMinutes?: number };
  readonly ActionAfterCompletion?: 'NONE' | 'DELETE';
  readonly KmsKeyArn?: string;
  readonly Target: TargetDefinition;
}

export interface TargetDefinition {
  readonly Arn: string;
  readonly RoleArn: string;
  readonly Input?: string | undefined;
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly RetryPolicy?: { readonly MaximumRetryAttempts?: number; readonly MaximumEventAgeInSeconds?: number };
  readonly SqsParameters?: { readonly MessageGroupId?: string };
  readonly EventBridgeParameters?: { readonly DetailType: string; readonly Source: string };
}

/** The group of a schedule that names none. */
export const DEFAULT_GROUP = 'default';
