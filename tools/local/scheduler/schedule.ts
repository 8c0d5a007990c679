import * as z from 'zod/mini';
import { validationError } from '../aws-service/service-server.ts';
import { createTimetable, type Timetable } from './timetable.ts';

const TargetDefinition = z.object({
  Arn: z.string().check(z.minLength(1)),
  RoleArn: z.string().check(z.minLength(1)),
  Input: z.optional(z.string()),
  DeadLetterConfig: z.optional(z.object({ Arn: z.optional(z.string()) })),
  RetryPolicy: z.optional(
    z.object({
      MaximumRetryAttempts: z.optional(z.number().check(z.gte(0), z.lte(185))),
      MaximumEventAgeInSeconds: z.optional(z.number().check(z.gte(60), z.lte(86_400))),
    }),
  ),
  EventBridgeParameters: z.optional(z.object({ DetailType: z.string(), Source: z.string() })),
});
export type TargetDefinition = z.infer<typeof TargetDefinition>;

/**
 * A schedule in the form of the API's CreateSchedule and of `AWS::Scheduler::Schedule` in a template. A property that
 * does not work here is refused.
 */
const ScheduleDefinition = z.strictObject({
  ClientToken: z.optional(z.string()),
  Name: z.string().check(z.regex(/^[0-9a-zA-Z-_.]{1,64}$/)),
  GroupName: z.optional(z.string()),
  Description: z.optional(z.string()),
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.optional(z.enum(['UTC', 'Etc/UTC'])),
  State: z.optional(z.enum(['ENABLED', 'DISABLED'])),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }),
  ActionAfterCompletion: z.optional(z.enum(['NONE', 'DELETE'])),
  KmsKeyArn: z.optional(z.string()),
  Target: TargetDefinition,
});
export type ScheduleDefinition = z.infer<typeof ScheduleDefinition>;

/** The group of a schedule without a group name. */
export const defaultGroup = 'default';

/** What the scheduler invokes. The payload is a function's event, a message's body or an event's detail. */
export type ScheduleTarget =
  | { readonly kind: 'lambda'; readonly arn: string }
  | {
      readonly kind: 'sqs';
      readonly arn: string;
      /** SQS string attributes. Only a dead letter has them: they contain the reason. */
      readonly messageAttributes?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'event-bus'; readonly arn: string; readonly source: string; readonly detailType: string };

/** A valid definition and the values derived from it. */
export interface Schedule {
  readonly definition: ScheduleDefinition;
  readonly groupName: string;
  readonly isEnabled: boolean;
  readonly timetable: Timetable;
  readonly target: ScheduleTarget;
}

/**
 * Checks a definition as AWS does.
 *
 * @throws AwsError ValidationException
 */
export function readSchedule(input: object): Schedule {
  const definition = parseDefinition(input);
  return {
    definition,
    groupName: definition.GroupName ?? defaultGroup,
    isEnabled: definition.State !== 'DISABLED',
    timetable: createTimetable(definition.ScheduleExpression),
    target: readTarget(definition.Target),
  };
}

function parseDefinition(input: object): ScheduleDefinition {
  const parsed = ScheduleDefinition.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw validationError(`1 validation error detected: Value at '${issue?.path.join('.')}': ${issue?.message}`);
}

function readTarget({ Arn: arn, EventBridgeParameters: event }: TargetDefinition): ScheduleTarget {
  const [, , service, , , resource = ''] = arn.split(':');
  if (service === 'lambda') return { kind: 'lambda', arn };
  if (service === 'sqs') return { kind: 'sqs', arn };
  if (service === 'events' && resource.startsWith('event-bus/')) {
    if (!event?.Source || !event.DetailType) {
      throw validationError('EventBridgeParameters are required for a target that is an event bus.');
    }
    return { kind: 'event-bus', arn, source: event.Source, detailType: event.DetailType };
  }
  throw validationError(`Target ${arn} is not emulated: only functions, queues and event buses are.`);
}
