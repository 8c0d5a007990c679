import type { Group } from './groups.ts';
import { dateMs } from './schedule.ts';
import type { StoredSchedule } from './scheduler.ts';

/** A schedule as GetSchedule answers it: the definition with its defaults. */
export function scheduleView(schedule: StoredSchedule): object {
  const { definition } = schedule;
  return {
    ActionAfterCompletion: 'NONE',
    ScheduleExpressionTimezone: 'UTC',
    ...definition,
    ...summaryView(schedule),
    Target: { RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 }, ...definition.Target },
    StartDate: seconds(dateMs(definition.StartDate)),
    EndDate: seconds(dateMs(definition.EndDate)),
  };
}

/** A schedule as ListSchedules answers it. */
export function summaryView(schedule: StoredSchedule): object {
  return {
    Arn: schedule.arn,
    Name: schedule.definition.Name,
    GroupName: schedule.groupName,
    State: stateOf(schedule),
    CreationDate: seconds(schedule.createdMs),
    LastModificationDate: seconds(schedule.modifiedMs),
    Target: { Arn: schedule.definition.Target.Arn },
  };
}

export function groupView({ name, arn, createdMs }: Group): object {
  return {
    Arn: arn,
    Name: name,
    State: 'ACTIVE',
    CreationDate: seconds(createdMs),
    LastModificationDate: seconds(createdMs),
  };
}

export function stateOf({ isEnabled }: StoredSchedule): string {
  return isEnabled ? 'ENABLED' : 'DISABLED';
}

function seconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : timeMs / 1000;
}
