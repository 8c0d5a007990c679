import { validationError } from '../aws-service/aws-error.ts';
import type { TargetDefinition } from './definition.ts';

/** What the runner is asked to invoke. The payload is a function's event, a message's body or an event's detail. */
export type ScheduleTarget =
  | { readonly kind: 'lambda'; readonly arn: string }
  | {
      readonly kind: 'sqs';
      readonly arn: string;
      readonly messageGroupId?: string | undefined;
      /** On dead letters: SQS message attributes (all strings) that say why. */
      readonly messageAttributes?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'event-bus'; readonly arn: string; readonly source: string; readonly detailType: string };

/** Invokes a target; rejects when it could not. */
export type InvokeTarget = (target: ScheduleTarget, payload: string) => Promise<void>;

/** @throws AwsError ValidationException when the target is malformed or of a kind that is not emulated */
export function targetOf(definition: TargetDefinition): ScheduleTarget {
  const { Arn: arn, EventBridgeParameters: event, SqsParameters: sqs } = definition;
  const [, , service, , , resource = ''] = arn.split(':');
  if (service === 'lambda') return { kind: 'lambda', arn };
  if (service === 'sqs') return { kind: 'sqs', arn, messageGroupId: sqs?.MessageGroupId };
  if (service === 'events' && resource.startsWith('event-bus/')) {
    if (!event?.Source || !event.DetailType) {
      throw validationError('EventBridgeParameters are required for a target that is an event bus.');
    }
    return { kind: 'event-bus', arn, source: event.Source, detailType: event.DetailType };
  }
  throw validationError(`Target ${arn} is not emulated: only functions, queues and event buses are.`);
}

/** What one invocation is about. */
export interface Invocation {
  readonly scheduleArn: string;
  readonly accountId: string;
  readonly region: string;
  readonly scheduledMs: number;
  readonly executionId: string;
}

/** The payload of one attempt: the schedule's input with its context attributes filled in. */
export function payloadOf(definition: TargetDefinition, invocation: Invocation, attemptNumber: number): string {
  const context: Readonly<Record<string, string>> = {
    '<aws.scheduler.schedule-arn>': invocation.scheduleArn,
    '<aws.scheduler.scheduled-time>': timeText(invocation.scheduledMs),
    '<aws.scheduler.execution-id>': invocation.executionId,
    '<aws.scheduler.attempt-number>': String(attemptNumber),
  };
  const input = definition.Input ?? defaultInput(invocation);
  return input.replace(/<aws\.scheduler\.[a-z-]+>/g, (attribute) => context[attribute] ?? attribute);
}

export function timeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** What AWS sends for a schedule without input; the detail is a text there, too. */
function defaultInput({ accountId, region, scheduleArn, scheduledMs, executionId }: Invocation): string {
  return JSON.stringify({
    version: '0',
    id: executionId,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: accountId,
    time: timeText(scheduledMs),
    region,
    resources: [scheduleArn],
    detail: '{}',
  });
}
