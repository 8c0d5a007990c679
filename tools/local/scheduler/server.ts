import {
  AwsError,
  createServiceServer,
  type ServiceRequest,
  type ServiceServer,
} from '../aws-service/service-server.ts';
import { defaultGroup } from './schedule.ts';
import type { Scheduler, StoredSchedule } from './scheduler.ts';

type Operation = (scheduler: Scheduler, name: string, request: ServiceRequest) => object;

/** The operations that the platform, its operators and its tests call, by method and path of the service's REST API. */
const operations: Readonly<Record<string, Operation>> = {
  'POST /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.create(toDefinition(name, request), readClientToken(request)).arn,
  }),
  'PUT /schedules/{name}': (scheduler, name, request) => ({
    ScheduleArn: scheduler.update(toDefinition(name, request)).arn,
  }),
  'DELETE /schedules/{name}': (scheduler, name, request) => {
    scheduler.delete(readQuery(request, 'groupName') ?? defaultGroup, name);
    return {};
  },
  'GET /schedules': (scheduler, _, request) => {
    const prefix = readQuery(request, 'NamePrefix') ?? '';
    const found = scheduler.list().filter(({ definition }) => definition.Name.startsWith(prefix));
    return { Schedules: found.map(toSummary) };
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

function toSummary({ arn, groupName, definition, isEnabled }: StoredSchedule): object {
  return {
    Arn: arn,
    Name: definition.Name,
    GroupName: groupName,
    State: isEnabled ? 'ENABLED' : 'DISABLED',
    Target: { Arn: definition.Target.Arn },
  };
}
