import { randomUUID } from 'node:crypto';
import type { Clock } from '../aws-service/clock.ts';
import type { Delivery, DeliveryFailure, DeliveryService } from '../aws-service/delivery.ts';
import type { Schedule, ScheduleTarget, TargetDefinition } from './schedule.ts';
import { precisionMs } from './timetable.ts';

/** Invokes a target. Rejects when the invocation failed. */
export type InvokeTarget = (target: ScheduleTarget, payload: string) => Promise<void>;

export interface RunOptions {
  readonly accountId: string;
  readonly region: string;
  readonly clock: Clock;
  readonly deliveries: DeliveryService;
  readonly invokeTarget: InvokeTarget;
  /** Called for an invocation that reached neither its target nor a dead-letter queue. */
  readonly onLost: (scheduleArn: string, error: Error) => void;
}

/**
 * Starts to run a schedule.
 *
 * @param onCompleted called when the last invocation is delivered or abandoned
 * @returns a function that stops the schedule; a running invocation continues
 */
export function runSchedule(
  schedule: Schedule,
  scheduleArn: string,
  { options, onCompleted }: { options: RunOptions; onCompleted: () => void },
): () => void {
  const { clock, deliveries } = options;
  let cancel = (): void => {};

  const waitFor = (scheduledMs: number | undefined): void => {
    if (scheduledMs === undefined) return;
    cancel = clock.at(scheduledMs, () => {
      const nextMs = findNextTime(schedule, scheduledMs, clock.now());
      const invocation = { ...options, scheduleArn, scheduledMs, executionId: randomUUID() };
      const onDone = (): void => (nextMs === undefined ? onCompleted() : undefined);
      deliveries.start(toDelivery(schedule, invocation, { options, onDone }));
      waitFor(nextMs);
    });
  };

  waitFor(schedule.timetable.first(clock.now()));
  return () => cancel();
}

/**
 * Returns the next time after `afterMs`. Skips times that passed while the machine slept: AWS does not make up for
 * missed runs either.
 */
function findNextTime({ timetable }: Schedule, afterMs: number, nowMs: number): number | undefined {
  let timeMs = timetable.next(afterMs);
  while (timeMs !== undefined && timeMs < nowMs - precisionMs) timeMs = timetable.next(timeMs);
  return timeMs;
}

function toDelivery(
  { definition: { Target }, target }: Schedule,
  invocation: Invocation,
  { options: { invokeTarget, onLost }, onDone }: { options: RunOptions; onDone: () => void },
): Delivery {
  return {
    retryPolicy: {
      maximumRetryAttempts: Target.RetryPolicy?.MaximumRetryAttempts,
      maximumEventAgeInSeconds: Target.RetryPolicy?.MaximumEventAgeInSeconds,
    },
    async attempt(attemptNumber) {
      await invokeTarget(target, buildPayload(Target, invocation, attemptNumber));
      onDone();
    },
    async giveUp(failure) {
      const arn = Target.DeadLetterConfig?.Arn;
      const payload = buildPayload(Target, invocation, failure.retryAttempts + 1);
      try {
        if (arn === undefined) throw failure.error;
        await invokeTarget(
          { kind: 'sqs', arn, messageAttributes: describeFailure(Target.Arn, invocation, failure) },
          payload,
        );
      } catch (error) {
        onLost(invocation.scheduleArn, error instanceof Error ? error : new Error(String(error)));
      }
      onDone();
    },
  };
}

function describeFailure(targetArn: string, invocation: Invocation, failure: DeliveryFailure): Record<string, string> {
  return {
    SCHEDULE_ARN: invocation.scheduleArn,
    SCHEDULED_TIME: toTimeText(invocation.scheduledMs),
    EXECUTION_ID: invocation.executionId,
    TARGET_ARN: targetArn,
    ERROR_CODE: failure.error.name,
    ERROR_MESSAGE: failure.error.message,
    RETRY_ATTEMPTS: String(failure.retryAttempts),
    ...(failure.exhaustedCondition && { EXHAUSTED_RETRY_CONDITION: failure.exhaustedCondition }),
  };
}

interface Invocation {
  readonly scheduleArn: string;
  readonly accountId: string;
  readonly region: string;
  readonly scheduledMs: number;
  readonly executionId: string;
}

/** Returns the payload of one attempt: the schedule's input with its context attributes filled in. */
function buildPayload(definition: TargetDefinition, invocation: Invocation, attemptNumber: number): string {
  const context: Readonly<Record<string, string>> = {
    '<aws.scheduler.schedule-arn>': invocation.scheduleArn,
    '<aws.scheduler.scheduled-time>': toTimeText(invocation.scheduledMs),
    '<aws.scheduler.execution-id>': invocation.executionId,
    '<aws.scheduler.attempt-number>': String(attemptNumber),
  };
  const input = definition.Input ?? buildDefaultInput(invocation);
  return input.replace(/<aws\.scheduler\.[a-z-]+>/g, (attribute) => context[attribute] ?? attribute);
}

/** The event that AWS sends for a schedule without input. Its detail is a text. */
function buildDefaultInput({ accountId, region, scheduleArn, scheduledMs, executionId }: Invocation): string {
  return JSON.stringify({
    version: '0',
    id: executionId,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: accountId,
    time: toTimeText(scheduledMs),
    region,
    resources: [scheduleArn],
    detail: '{}',
  });
}

function toTimeText(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
