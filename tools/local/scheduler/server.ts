import { AwsError, validationError } from '../aws-service/aws-error.ts';
import { createServiceServer, type ServiceRequest, type ServiceServer } from '../aws-service/http-server.ts';
import { pageOf } from '../aws-service/page.ts';
import { DEFAULT_GROUP, type ScheduleDefinition } from './definition.ts';
import type { Scheduler, StoredSchedule } from './scheduler.ts';
import { groupView, scheduleView, stateOf, summaryView } from './views.ts';

type Operation = (scheduler: Scheduler, name: string, request: ServiceRequest) => object;

/** Method and path → operation, as the service's REST API has them. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.create(definitionOf(name, request), textOf(request.body.ClientToken)).arn,
  }),
  'PUT /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.update(definitionOf(name, request)).arn,
  }),
  'GET /schedules/{name}': (scheduler, name, request) => scheduleView(scheduler.get(groupOf(request), name)),
  'DELETE /schedules/{name}': (scheduler, name, request) => {
    scheduler.delete(groupOf(request), name);
    return {};
  },
  'GET /schedules': (scheduler, _, request) => {
    const { items, next } = pageOf(scheduler.list().filter(isAskedFor(request)), pageSize(request), token(request));
    return { Schedules: items.map(summaryView), ...(next && { NextToken: next }) };
  },
  'POST /schedule-groups/{name}': (scheduler, name) => ({ ScheduleGroupArn: scheduler.createGroup(name).arn }),
  'GET /schedule-groups/{name}': (scheduler, name) => groupView(scheduler.getGroup(name)),
  'DELETE /schedule-groups/{name}': (scheduler, name) => {
    scheduler.deleteGroup(name);
    return {};
  },
  'GET /schedule-groups': (scheduler, _, request) => {
    const groups = scheduler.listGroups().filter(({ name }) => name.startsWith(query(request, 'NamePrefix') ?? ''));
    const { items, next } = pageOf(groups, pageSize(request), token(request));
    return { ScheduleGroups: items.map(groupView), ...(next && { NextToken: next }) };
  },
};

/** Puts a scheduler on HTTP with the paths of the real service, for the SDKs and `aws scheduler --endpoint-url`. */
export function createSchedulerServer(scheduler: Scheduler): ServiceServer {
  return createServiceServer({
    contentType: 'application/json',
    handle(request) {
      const [, collection = '', ...rest] = request.url.pathname.split('/');
      const name = decodeURIComponent(rest.join('/'));
      const operation = OPERATIONS[`${request.method} /${collection}${name === '' ? '' : '/{name}'}`];
      if (!operation) {
        const asked = `${request.method} ${request.url.pathname}`;
        throw new AwsError('UnknownOperationException', `Scheduler has no operation ${asked} here`, 404);
      }
      return operation(scheduler, name, request);
    },
  });
}

/** What the body leaves out or misspells is found when the schedule is read. */
function definitionOf(name: string, { body }: ServiceRequest): ScheduleDefinition {
  const { ClientToken: _, ...definition } = body;
  return { ...definition, Name: name } as unknown as ScheduleDefinition;
}

function query({ url }: ServiceRequest, name: string): string | undefined {
  return url.searchParams.get(name) ?? undefined;
}

function groupOf(request: ServiceRequest): string {
  return query(request, 'groupName') ?? DEFAULT_GROUP;
}

function token(request: ServiceRequest): string | undefined {
  return query(request, 'NextToken');
}

function pageSize(request: ServiceRequest): number {
  const size = Number(query(request, 'MaxResults') ?? 100);
  if (!(size >= 1 && size <= 100)) throw validationError('MaxResults must be from 1 to 100.');
  return size;
}

function isAskedFor(request: ServiceRequest): (schedule: StoredSchedule) => boolean {
  const group = query(request, 'ScheduleGroup');
  const state = query(request, 'State');
  const prefix = query(request, 'NamePrefix') ?? '';
  return (schedule) =>
    (group === undefined || schedule.groupName === group) &&
    (state === undefined || stateOf(schedule) === state) &&
    schedule.definition.Name.startsWith(prefix);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
