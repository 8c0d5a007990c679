import { describe, expect, it } from 'vitest';
import type { ScheduleDefinition, ScheduleTarget, TargetDefinition } from '../../../tools/local/scheduler/schedule.ts';
import { createScheduler } from '../../../tools/local/scheduler/scheduler.ts';
import { manualClock } from './support/manual-clock.ts';

const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:sweep';
const queueArn = 'arn:aws:sqs:us-east-1:000000000000:due';
const scheduleArn = 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/sweep';

type Loose<Shape> = { [Member in keyof Shape]?: Shape[Member] | undefined };

interface Arrangement {
  schedule?: Loose<ScheduleDefinition>;
  target?: Partial<TargetDefinition>;
  failures?: number;
}

function arrange({ schedule, target, failures = 0 }: Arrangement = {}) {
  const clock = manualClock('2026-03-01T10:00:00Z');
  const invoked: { at: string; target: ScheduleTarget; payload: string }[] = [];
  const lost: string[] = [];
  let attempts = 0;
  const scheduler = createScheduler({
    accountId: '000000000000',
    region: 'us-east-1',
    schedules: [
      {
        Name: 'sweep',
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ...schedule,
        Target: { Arn: functionArn, RoleArn: 'arn:aws:iam::000000000000:role/sweep', Input: '{}', ...target },
      },
    ],
    invokeTarget: async (to, payload) => {
      attempts += 1;
      if (attempts <= failures && !('messageAttributes' in to)) throw new Error('not now');
      invoked.push({ at: new Date(clock.now()).toISOString().slice(11, 19), target: to, payload });
    },
    clock,
    onLost: (arn) => lost.push(arn),
  });
  return { scheduler, clock, invoked, lost, times: () => invoked.map(({ at }) => at) };
}

const minuteMs = 60_000;

describe('a local schedule', () => {
  it('invokes its target when due, until the scheduler closes', async () => {
    const { scheduler, clock, times } = arrange();
    await clock.advance(2 * minuteMs);
    scheduler.close();
    await clock.advance(2 * minuteMs);
    expect(times()).toEqual(['10:00:00', '10:01:00', '10:02:00']);
  });

  it('skips the times at which the machine slept', async () => {
    const { clock, times } = arrange({ schedule: { ScheduleExpression: 'cron(0/10 * * * ? *)' } });
    await clock.advance(minuteMs);
    await clock.sleep(64 * minuteMs);
    await clock.advance(5 * minuteMs);
    expect(times()).toEqual(['10:00:00', '11:05:00', '11:10:00']);
  });

  it('runs after it was disabled and enabled again', async () => {
    const { scheduler, clock, times } = arrange({ schedule: { State: 'DISABLED' } });
    await clock.advance(5 * minuteMs);
    scheduler.update({ ...scheduler.get('default', 'sweep').definition, State: 'ENABLED' });
    await clock.advance(minuteMs);
    expect(times()).toEqual(['10:05:00', '10:06:00']);
  });

  it('uses the new definition after an update', async () => {
    const { scheduler, clock, times } = arrange({ schedule: { ScheduleExpression: 'rate(1 hour)' } });
    await clock.advance(minuteMs);
    const { definition } = scheduler.get('default', 'sweep');
    scheduler.update({ ...definition, ScheduleExpression: 'at(2026-03-01T10:30:00)' });
    await clock.advance(120 * minuteMs);
    expect(times()).toEqual(['10:00:00', '10:30:00']);
  });

  it('ends when it is deleted', async () => {
    const { scheduler, clock, times } = arrange();
    await clock.advance(minuteMs);
    scheduler.delete('default', 'sweep');
    await clock.advance(5 * minuteMs);
    expect(times()).toEqual(['10:00:00', '10:01:00']);
    expect(scheduler.list()).toEqual([]);
  });
});

describe('a schedule without further invocations', () => {
  const once = { ScheduleExpression: 'at(2026-03-01T10:01:00)' };

  it('is deleted only when it has ActionAfterCompletion DELETE', async () => {
    const kept = arrange({ schedule: once });
    const deleted = arrange({ schedule: { ...once, ActionAfterCompletion: 'DELETE' } });
    for (const { clock, scheduler } of [kept, deleted]) {
      await clock.advance(minuteMs);
      await scheduler.idle();
    }
    expect(kept.scheduler.list()).toHaveLength(1);
    expect(deleted.scheduler.list()).toHaveLength(0);
  });

  it('is deleted after the last retry of its invocation', async () => {
    const { scheduler, clock, times } = arrange({
      schedule: { ...once, ActionAfterCompletion: 'DELETE' },
      failures: 1,
    });
    await clock.advance(minuteMs);
    expect(scheduler.list()).toHaveLength(1);
    await clock.advance(200);
    await scheduler.idle();
    expect(times()).toEqual(['10:01:00']);
    expect(scheduler.list()).toHaveLength(0);
  });
});

describe("a schedule's invocation", () => {
  const once = { ScheduleExpression: 'at(2026-03-01T10:00:00)' };

  it.each<[string, Partial<TargetDefinition>, ScheduleTarget]>([
    ['reaches a function', {}, { kind: 'lambda', arn: functionArn }],
    ['reaches a queue', { Arn: queueArn }, { kind: 'sqs', arn: queueArn }],
    [
      'reaches an event bus',
      {
        Arn: 'arn:aws:events:us-east-1:000000000000:event-bus/rewards',
        EventBridgeParameters: { DetailType: 'due', Source: 'rewards' },
      },
      {
        kind: 'event-bus',
        arn: 'arn:aws:events:us-east-1:000000000000:event-bus/rewards',
        source: 'rewards',
        detailType: 'due',
      },
    ],
  ])('%s', async (_, target, expected) => {
    const { clock, invoked } = arrange({ schedule: once, target });
    await clock.advance(1);
    expect(invoked).toEqual([{ at: '10:00:00', target: expected, payload: '{}' }]);
  });

  it('contains the input, with values for its context attributes', async () => {
    const Input =
      '{"at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>","n":<aws.scheduler.attempt-number>}';
    const { clock, invoked } = arrange({ schedule: once, target: { Input }, failures: 1 });
    await clock.advance(1000);
    expect(JSON.parse(invoked[0]?.payload ?? '')).toEqual({ at: '2026-03-01T10:00:00Z', by: scheduleArn, n: 2 });
  });

  it('contains the default event when the schedule has no input', async () => {
    const { clock, invoked } = arrange({ schedule: once, target: { Input: undefined } });
    await clock.advance(1);
    expect(JSON.parse(invoked[0]?.payload ?? '')).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      time: '2026-03-01T10:00:00Z',
      resources: [scheduleArn],
      detail: '{}',
    });
  });
});

describe("a schedule's failed invocation", () => {
  const schedule = { ScheduleExpression: 'at(2026-03-01T10:00:00)' };

  it('goes to the dead-letter queue after the last retry', async () => {
    const target = { DeadLetterConfig: { Arn: queueArn }, RetryPolicy: { MaximumRetryAttempts: 1 }, Input: '{"a":1}' };
    const { clock, invoked, scheduler } = arrange({ schedule, target, failures: 99 });
    await clock.advance(minuteMs);
    await scheduler.idle();

    expect(invoked).toMatchObject([
      {
        payload: '{"a":1}',
        target: {
          kind: 'sqs',
          arn: queueArn,
          messageAttributes: {
            SCHEDULE_ARN: scheduleArn,
            TARGET_ARN: functionArn,
            ERROR_MESSAGE: 'not now',
            RETRY_ATTEMPTS: '1',
            EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
          },
        },
      },
    ]);
  });

  it('is logged when there is no dead-letter queue', async () => {
    const { clock, lost } = arrange({ schedule, target: { RetryPolicy: { MaximumRetryAttempts: 0 } }, failures: 99 });
    await clock.advance(minuteMs);
    expect(lost).toEqual([scheduleArn]);
  });
});

describe('a malformed definition of a schedule', () => {
  it.each<[string, Loose<ScheduleDefinition>, Partial<TargetDefinition>]>([
    ['a name with a space', { Name: 'a b' }, {}],
    ['an unknown expression', { ScheduleExpression: 'every(1 day)' }, {}],
    ['no flexible time window', { FlexibleTimeWindow: undefined }, {}],
    ['a property that does not work here', { StartDate: '2026-02-02T00:00:00Z' } as object, {}],
    ['a time zone that is not UTC', { ScheduleExpressionTimezone: 'Europe/Berlin' as 'UTC' }, {}],
    ['too many retries', {}, { RetryPolicy: { MaximumRetryAttempts: 186 } }],
    ['a target without a role', {}, { RoleArn: '' }],
    ['an event bus without source', {}, { Arn: 'arn:aws:events:us-east-1:000000000000:event-bus/rewards' }],
    ['a target of another kind', {}, { Arn: 'arn:aws:scheduler:::aws-sdk:dynamodb:putItem' }],
  ])('is refused for %s', (_, schedule, target) => {
    expect(() => arrange({ schedule, target })).toThrow(expect.objectContaining({ code: 'ValidationException' }));
  });
});
