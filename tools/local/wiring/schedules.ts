import type { EventBus } from '../eventbridge/bus.ts';
import type { ScheduleDefinition } from '../scheduler/definition.ts';
import type { InvokeTarget } from '../scheduler/target.ts';
import type { Resources } from '../template/resources.ts';
import type { SendToTarget } from './targets.ts';

/** The schedules of the template as the scheduler takes them. */
export function templateSchedules(resources: Resources): ScheduleDefinition[] {
  return resources
    .ofType('AWS::Scheduler::Schedule')
    .map((schedule) => ({ ...schedule.properties<ScheduleDefinition>(), Name: schedule.ref }));
}

/** Brings a schedule's payload to its target. */
export function scheduleInvoker(send: SendToTarget, bus: EventBus): InvokeTarget {
  return async (target, payload) => {
    if (target.kind !== 'event-bus') return send(target.arn, payload, target.kind === 'sqs' ? target : {});
    const { arn, source, detailType } = target;
    const [entry] = bus.putEvents([{ EventBusName: arn, Source: source, DetailType: detailType, Detail: payload }]);
    if (entry && 'ErrorCode' in entry) throw new Error(String(entry.ErrorCode));
  };
}
