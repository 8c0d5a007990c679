import { validationError } from '../aws-service/aws-error.ts';
import { DEFAULT_GROUP, type ScheduleDefinition } from './definition.ts';
import { type ScheduleTarget, targetOf } from './target.ts';
import { createTimetable, type Timetable } from './timetable.ts';

/** A definition found to be sound, and what was worked out from it. */
export interface Schedule {
  readonly definition: ScheduleDefinition;
  readonly groupName: string;
  readonly isEnabled: boolean;
  readonly timetable: Timetable;
  /** Invocations are spread over this long after the time they are due. */
  readonly windowMs: number;
  readonly target: ScheduleTarget;
}

/**
 * Checks a definition as AWS does.
 *
 * @throws AwsError ValidationException
 */
export function readSchedule(definition: ScheduleDefinition): Schedule {
  for (const member of ['Name', 'ScheduleExpression', 'FlexibleTimeWindow', 'Target'] as const) {
    if (!definition[member])
      throw validationError(`1 validation error detected: Value at '${member}' must not be null`);
  }
  const { Name, Target, GroupName = DEFAULT_GROUP, State = 'ENABLED' } = definition;
  if (!/^[0-9a-zA-Z-_.]{1,64}$/.test(Name)) throw validationError(`Name ${Name} is not valid.`);
  if (!Target.Arn || !Target.RoleArn) throw validationError('Target needs Arn and RoleArn.');
  requireRange('MaximumRetryAttempts', Target.RetryPolicy?.MaximumRetryAttempts, 0, 185);
  requireRange('MaximumEventAgeInSeconds', Target.RetryPolicy?.MaximumEventAgeInSeconds, 60, 86_400);

  return {
    definition,
    groupName: GroupName,
    isEnabled: State !== 'DISABLED',
    timetable: readTimetable(definition),
    windowMs: readWindowMs(definition.FlexibleTimeWindow),
    target: targetOf(Target),
  };
}

/** A date of a definition in milliseconds since the epoch. */
export function dateMs(date: number | string | undefined): number | undefined {
  if (date === undefined) return undefined;
  const timeMs = typeof date === 'number' ? date * 1000 : Date.parse(date);
  if (Number.isNaN(timeMs)) throw validationError(`${date} is not a date.`);
  return timeMs;
}

function readTimetable(definition: ScheduleDefinition): Timetable {
  const { ScheduleExpression: expression, ScheduleExpressionTimezone: timezone = 'UTC' } = definition;
  const [startMs, endMs] = [dateMs(definition.StartDate), dateMs(definition.EndDate)];
  if (startMs !== undefined && endMs !== undefined && endMs <= startMs) {
    throw validationError('The EndDate you specify must come after the StartDate.');
  }
  return createTimetable({ expression, timezone, startMs, endMs });
}

function readWindowMs({ Mode, MaximumWindowInMinutes }: ScheduleDefinition['FlexibleTimeWindow']): number {
  if (Mode === 'OFF') {
    if (MaximumWindowInMinutes === undefined) return 0;
    throw validationError('MaximumWindowInMinutes must not be set when Mode is OFF.');
  }
  if (Mode !== 'FLEXIBLE' || MaximumWindowInMinutes === undefined) {
    throw validationError('FlexibleTimeWindow must be OFF, or FLEXIBLE with MaximumWindowInMinutes.');
  }
  requireRange('MaximumWindowInMinutes', MaximumWindowInMinutes, 1, 1440);
  return MaximumWindowInMinutes * 60_000;
}

function requireRange(name: string, value: number | undefined, min: number, max: number): void {
  if (value !== undefined && !(value >= min && value <= max)) {
    throw validationError(`${name} must be from ${min} to ${max}.`);
  }
}
