import { localAccount } from '../account.ts';
import { createEventBus, type EventBus } from '../eventbridge/bus.ts';
import { fromWireTarget, type Rule, WireTarget } from '../eventbridge/rule.ts';
import { createEventBridgeServer } from '../eventbridge/server.ts';
import type { PlatformOptions } from '../platform-options.ts';
import type { InvokeTarget } from '../scheduler/schedule-runner.ts';
import { createScheduler } from '../scheduler/scheduler.ts';
import { createSchedulerServer } from '../scheduler/server.ts';
import type { Stoppers } from '../stoppers.ts';
import type { Resource, Resources } from '../template/resources.ts';
import type { SendToTarget } from './targets.ts';

export interface Events {
  readonly bus: EventBus;
  readonly endpoint: string;
}

const { id: accountId, region } = localAccount;

/** Starts EventBridge with the buses and rules of the template. */
export async function startEvents(
  resources: Resources,
  send: SendToTarget,
  { options: { ports }, stoppers }: StartContext,
): Promise<Events> {
  const bus = createEventBus({
    accountId,
    region,
    buses: resources.ofType('AWS::Events::EventBus').map(({ ref }) => ref),
    rules: resources.ofType('AWS::Events::Rule').map(readRule),
    deliver: ({ arn, sqsParameters, messageAttributes }, body) =>
      send(arn, body, { messageGroupId: sqsParameters?.messageGroupId, messageAttributes }),
  });
  const server = createEventBridgeServer(bus);
  stoppers.add(() => bus.close());
  const endpoint = await server.listen(ports?.events);
  stoppers.add(() => server.close());
  return { bus, endpoint };
}

/** Starts EventBridge Scheduler with the schedules of the template. Returns its endpoint. */
export async function startSchedules(
  resources: Resources,
  { bus, send }: { readonly bus: EventBus; readonly send: SendToTarget },
  { options: { ports, schedules = true }, stoppers }: StartContext,
): Promise<string> {
  const scheduler = createScheduler({
    accountId,
    region,
    groups: resources.ofType('AWS::Scheduler::ScheduleGroup').map(({ ref }) => ref),
    schedules: schedules ? resources.ofType('AWS::Scheduler::Schedule').map(readSchedule) : [],
    invokeTarget: createInvoker(send, bus),
  });
  stoppers.add(() => scheduler.close());
  const server = createSchedulerServer(scheduler);
  const endpoint = await server.listen(ports?.scheduler);
  stoppers.add(() => server.close());
  return endpoint;
}

interface StartContext {
  readonly options: PlatformOptions;
  readonly stoppers: Stoppers;
}

interface RuleProperties {
  readonly EventBusName?: string;
  readonly EventPattern?: object;
  readonly ScheduleExpression?: string;
  readonly State?: 'ENABLED' | 'DISABLED';
  readonly Targets?: readonly object[];
}

function readRule(resource: Resource): Rule {
  const properties = resource.properties<RuleProperties>();
  const { EventBusName = 'default', EventPattern, ScheduleExpression, State, Targets = [] } = properties;
  if (ScheduleExpression) {
    throw new Error(`${resource.logicalId}: rules with a schedule do not run here; use EventBridge Scheduler`);
  }
  return {
    name: resource.ref,
    busName: EventBusName.replace(/^arn:.*:event-bus\//, ''),
    pattern: EventPattern,
    state: State,
    targets: Targets.map((target) => fromWireTarget(WireTarget.parse(target))),
  };
}

function readSchedule(resource: Resource): object {
  return { ...resource.properties<object>(), Name: resource.ref };
}

/** Delivers a schedule's payload to its target. */
function createInvoker(send: SendToTarget, bus: EventBus): InvokeTarget {
  return async (target, payload) => {
    if (target.kind !== 'event-bus') return send(target.arn, payload, target.kind === 'sqs' ? target : {});
    const { arn, source, detailType } = target;
    const [entry] = bus.putEvents([{ EventBusName: arn, Source: source, DetailType: detailType, Detail: payload }]);
    if (entry && 'ErrorCode' in entry) throw new Error(String(entry.ErrorCode));
  };
}
