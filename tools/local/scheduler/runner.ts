import { randomUUID } from 'node:crypto';
import type { Clock } from '../aws-service/clock.ts';
import type { Delivery, DeliveryFailure, DeliveryService } from '../aws-service/delivery.ts';
import type { Schedule } from './schedule.ts';
import { type Invocation, type InvokeTarget, payloadOf, timeText } from './target.ts';
import { PRECISION_MS } from './timetable.ts';

export interface RunOptions {
  readonly accountId: string;
  readonly region: string;
  readonly clock: Clock;
  /** A number from 0 up to 1: the point within a flexible time window. */
  readonly random: () => number;
  readonly deliveries: DeliveryService;
  readonly invokeTarget: InvokeTarget;
  /** Told of an invocation that reached neither its target nor a dead letter queue. */
  readonly onLost: (scheduleArn: string, error: Error) => void;
}

/**
 * Carries out a schedule from now on.
 *
 * @param onCompleted called once the last invocation is done with, be it delivered or given up
 * @returns a function that stops it; an invocation under way still goes on
 */
export function runSchedule(
  schedule: Schedule,
  scheduleArn: string,
  { options, onCompleted }: { options: RunOptions; onCompleted: () => void },
): () => void {
  const { clock, random, deliveries } = options;
  let cancel = (): void => {};

  const waitFor = (scheduledMs: number | undefined): void => {
    if (scheduledMs === undefined) return;
    cancel = clock.at(scheduledMs + Math.floor(random() * schedule.windowMs), () => {
      const nextMs = nextTime(schedule, scheduledMs, clock.now());
      const invocation = { ...options, scheduleArn, scheduledMs, executionId: randomUUID() };
      const onDone = (): void => (nextMs === undefined ? onCompleted() : undefined);
      deliveries.start(toDelivery(schedule, invocation, { options, onDone }));
      waitFor(nextMs);
    });
  };

  waitFor(schedule.timetable.first(clock.now()));
  return () => cancel();
}

/** Leaves out what fell due while the machine slept, as AWS would for a schedule that was not running. */
function nextTime({ timetable, windowMs }: Schedule, afterMs: number, nowMs: number): number | undefined {
  let timeMs = timetable.next(afterMs);
  while (timeMs !== undefined && timeMs < nowMs - PRECISION_MS - windowMs) timeMs = timetable.next(timeMs);
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
      await invokeTarget(target, payloadOf(Target, invocation, attemptNumber));
      onDone();
    },
    async giveUp(failure) {
      const arn = Target.DeadLetterConfig?.Arn;
      const payload = payloadOf(Target, invocation, failure.retryAttempts + 1);
      try {
        if (arn === undefined) throw failure.error;
        await invokeTarget({ kind: 'sqs', arn, messageAttributes: reasons(Target.Arn, invocation, failure) }, payload);
      } catch (error) {
        onLost(invocation.scheduleArn, error instanceof Error ? error : new Error(String(error)));
      }
      onDone();
    },
  };
}

function reasons(targetArn: string, invocation: Invocation, failure: DeliveryFailure): Record<string, string> {
  return {
    SCHEDULE_ARN: invocation.scheduleArn,
    SCHEDULED_TIME: timeText(invocation.scheduledMs),
    EXECUTION_ID: invocation.executionId,
    TARGET_ARN: targetArn,
    ERROR_CODE: failure.error.name,
    ERROR_MESSAGE: failure.error.message,
    RETRY_ATTEMPTS: String(failure.retryAttempts),
    ...(failure.exhaustedCondition && { EXHAUSTED_RETRY_CONDITION: failure.exhaustedCondition }),
  };
}
