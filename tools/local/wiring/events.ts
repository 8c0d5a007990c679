import { localAccount } from '../account.ts';
import { createEventBus, type EventBus } from '../eventbridge/bus.ts';
import { createEventBridgeServer } from '../eventbridge/server.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { createScheduler } from '../scheduler/scheduler.ts';
import { createSchedulerServer } from '../scheduler/server.ts';
import type { Stoppers } from '../stoppers.ts';
import type { Resources } from '../template/resources.ts';
import { templateRules } from './rules.ts';
import { scheduleInvoker, templateSchedules } from './schedules.ts';
import type { SendToTarget } from './targets.ts';

export interface Events {
  readonly bus: EventBus;
  readonly endpoint: string;
}

const { id: accountId, region } = localAccount;

/** The buses and rules of the template, listening. */
export async function startEvents(
  resources: Resources,
  send: SendToTarget,
  { ports }: PlatformOptions,
  stoppers: Stoppers,
): Promise<Events> {
  const bus = createEventBus({
    accountId,
    region,
    buses: resources.ofType('AWS::Events::EventBus').map(({ ref }) => ref),
    rules: templateRules(resources),
    deliver: ({ arn, sqsParameters, messageAttributes }, body) =>
      send(arn, body, { messageGroupId: sqsParameters?.messageGroupId, messageAttributes }),
  });
  const server = createEventBridgeServer(bus);
  stoppers.add(() => bus.close());
  const endpoint = await server.listen(ports?.events);
  stoppers.add(() => server.close());
  return { bus, endpoint };
}

/** The schedules of the template, running and listening. */
export async function startSchedules(
  resources: Resources,
  { bus, send }: { readonly bus: EventBus; readonly send: SendToTarget },
  { ports, schedules = true }: PlatformOptions,
  stoppers: Stoppers,
): Promise<string> {
  const scheduler = createScheduler({
    accountId,
    region,
    groups: resources.ofType('AWS::Scheduler::ScheduleGroup').map(({ ref }) => ref),
    schedules: schedules ? templateSchedules(resources) : [],
    invokeTarget: scheduleInvoker(send, bus),
  });
  stoppers.add(() => scheduler.close());
  const server = createSchedulerServer(scheduler);
  const endpoint = await server.listen(ports?.scheduler);
  stoppers.add(() => server.close());
  return endpoint;
}
