import {
  AwsError,
  createServiceServer,
  paginate,
  type ServiceRequest,
  type ServiceServer,
  validationError,
} from '../aws-service/service-server.ts';
import { defaultGroup, toDateMs } from './schedule.ts';
import type { ScheduleGroup, Scheduler, StoredSchedule } from './scheduler.ts';

type Operation = (scheduler: Scheduler, name: string, request: ServiceRequest) => object;

/** The operations of the service's REST API, by method and path. */
const operations: Readonly<Record<string, Operation>> = {
  'POST /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.create(toDefinition(name, request), readClientToken(request)).arn,
  }),
  'PUT /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.update(toDefinition(name, request)).arn,
  }),
  'GET /schedules/{name}': (scheduler, name, request) => toScheduleView(scheduler.get(groupOf(request), name)),
  'DELETE /schedules/{name}': (scheduler, name, request) => {
    scheduler.delete(groupOf(request), name);
    return {};
  },
  'GET /schedules': (scheduler, _, request) => {
    const { items, next } = paginate(
      scheduler.list().filter(buildFilter(request)),
      readPageSize(request),
      readQuery(request, 'NextToken'),
    );
    return { Schedules: items.map(toSummaryView), ...(next && { NextToken: next }) };
  },
  'POST /schedule-groups/{name}': (scheduler, name) => ({ ScheduleGroupArn: scheduler.createGroup(name).arn }),
  'GET /schedule-groups/{name}': (scheduler, name) => toGroupView(scheduler.getGroup(name)),
  'DELETE /schedule-groups/{name}': (scheduler, name) => {
    scheduler.deleteGroup(name);
    return {};
  },
  'GET /schedule-groups': (scheduler, _, request) => {
    const groups = scheduler.listGroups().filter(({ name }) => name.startsWith(readQuery(request, 'NamePrefix') ?? ''));
    const { items, next } = paginate(groups, readPageSize(request), readQuery(request, 'NextToken'));
    return { ScheduleGroups: items.map(toGroupView), ...(next && { NextToken: next }) };
  },
};

/** Serves a scheduler with the paths of the real service, for the SDKs and `aws scheduler --endpoint-url`. */
export function createSchedulerServer(scheduler: Scheduler): ServiceServer {
  return createServiceServer({
    contentType: 'application/json',
    handle(request) {
      const [, collection = '', ...rest] = request.url.pathname.split('/');
      const name = decodeURIComponent(rest.join('/'));
      const operation = operations[`${request.method} /${collection}${name === '' ? '' : '/{name}'}`];
      if (!operation) {
        const asked = `${request.method} ${request.url.pathname}`;
        throw new AwsError('UnknownOperationException', `Scheduler has no operation ${asked} here`, 404);
      }
      return operation(scheduler, name, request);
    },
  });
}

/** Makes a definition from a request. The scheduler checks it later. */
function toDefinition(name: string, { body }: ServiceRequest): object {
  return { ...body, Name: name };
}

function readClientToken({ body: { ClientToken: token } }: ServiceRequest): string | undefined {
  return typeof token === 'string' ? token : undefined;
}

function readQuery({ url }: ServiceRequest, name: string): string | undefined {
  return url.searchParams.get(name) ?? undefined;
}

function groupOf(request: ServiceRequest): string {
  return readQuery(request, 'groupName') ?? defaultGroup;
}

function readPageSize(request: ServiceRequest): number {
  const size = Number(readQuery(request, 'MaxResults') ?? 100);
  if (!(size >= 1 && size <= 100)) throw validationError('MaxResults must be from 1 to 100.');
  return size;
}

function buildFilter(request: ServiceRequest): (schedule: StoredSchedule) => boolean {
  const group = readQuery(request, 'ScheduleGroup');
  const state = readQuery(request, 'State');
  const prefix = readQuery(request, 'NamePrefix') ?? '';
  return (schedule) =>
    (group === undefined || schedule.groupName === group) &&
    (state === undefined || stateOf(schedule) === state) &&
    schedule.definition.Name.startsWith(prefix);
}

function toScheduleView(schedule: StoredSchedule): object {
  const { definition } = schedule;
  return {
    ActionAfterCompletion: 'NONE',
    ScheduleExpressionTimezone: 'UTC',
    ...definition,
    ...toSummaryView(schedule),
    Target: { RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 }, ...definition.Target },
    StartDate: toSeconds(toDateMs(definition.StartDate)),
    EndDate: toSeconds(toDateMs(definition.EndDate)),
  };
}

function toSummaryView(schedule: StoredSchedule): object {
  return {
    Arn: schedule.arn,
    Name: schedule.definition.Name,
    GroupName: schedule.groupName,
    State: stateOf(schedule),
    CreationDate: toSeconds(schedule.createdMs),
    LastModificationDate: toSeconds(schedule.modifiedMs),
    Target: { Arn: schedule.definition.Target.Arn },
  };
}

function toGroupView({ name, arn, createdMs }: ScheduleGroup): object {
  return {
    Arn: arn,
    Name: name,
    State: 'ACTIVE',
    CreationDate: toSeconds(createdMs),
    LastModificationDate: toSeconds(createdMs),
  };
}

function stateOf({ isEnabled }: StoredSchedule): string {
  return isEnabled ? 'ENABLED' : 'DISABLED';
}

function toSeconds(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : timeMs / 1000;
}
