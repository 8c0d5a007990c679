import { describe, expect, it } from 'vitest';
import type { ScheduleDefinition, ScheduleTarget, TargetDefinition } from '../../../tools/local/scheduler/schedule.ts';
import { createScheduler } from '../../../tools/local/scheduler/scheduler.ts';
import { manualClock } from './support/manual-clock.ts';

const FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:sweep';
const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:due';
const ARN = 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/sweep';

type Loose<Shape> = { [Member in keyof Shape]?: Shape[Member] | undefined };

interface Arrangement {
  schedule?: Loose<ScheduleDefinition>;
  target?: Partial<TargetDefinition>;
  failures?: number;
  random?: number;
}

function arrange({ schedule, target, failures = 0, random = 0 }: Arrangement = {}) {
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
        Target: { Arn: FUNCTION, RoleArn: 'arn:aws:iam::000000000000:role/sweep', Input: '{}', ...target },
      },
    ],
    invokeTarget: async (to, payload) => {
      attempts += 1;
      if (attempts <= failures && !('messageAttributes' in to)) throw new Error('not now');
      invoked.push({ at: new Date(clock.now()).toISOString().slice(11, 19), target: to, payload });
    },
    clock,
    random: () => random,
    onLost: (arn) => lost.push(arn),
  });
  return { scheduler, clock, invoked, lost, times: () => invoked.map(({ at }) => at) };
}

const MINUTE_MS = 60_000;

describe('running', () => {
  it('invokes at each time, and no more once closed', async () => {
    const { scheduler, clock, times } = arrange();
    await clock.advance(2 * MINUTE_MS);
    scheduler.close();
    await clock.advance(2 * MINUTE_MS);
    expect(times()).toEqual(['10:00:00', '10:01:00', '10:02:00']);
  });

  it('leaves out what fell due while the machine slept', async () => {
    const { clock, times } = arrange({ schedule: { ScheduleExpression: 'cron(0/10 * * * ? *)' } });
    await clock.advance(MINUTE_MS);
    await clock.sleep(64 * MINUTE_MS);
    await clock.advance(5 * MINUTE_MS);
    expect(times()).toEqual(['10:00:00', '11:05:00', '11:10:00']);
  });

  it('spreads invocations over a flexible window', async () => {
    const { clock, times } = arrange({
      schedule: {
        ScheduleExpression: 'at(2026-03-01T11:00:00)',
        FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 10 },
      },
      random: 0.5,
    });
    await clock.advance(120 * MINUTE_MS);
    expect(times()).toEqual(['11:05:00']);
  });

  it('does not run a disabled schedule until it is enabled', async () => {
    const { scheduler, clock, times } = arrange({ schedule: { State: 'DISABLED' } });
    await clock.advance(5 * MINUTE_MS);
    scheduler.update({ ...scheduler.get('default', 'sweep').definition, State: 'ENABLED' });
    await clock.advance(MINUTE_MS);
    expect(times()).toEqual(['10:05:00', '10:06:00']);
  });

  it('follows an update from then on', async () => {
    const { scheduler, clock, times } = arrange({ schedule: { ScheduleExpression: 'rate(1 hour)' } });
    await clock.advance(MINUTE_MS);
    const { definition } = scheduler.get('default', 'sweep');
    scheduler.update({ ...definition, ScheduleExpression: 'at(2026-03-01T10:30:00)' });
    await clock.advance(120 * MINUTE_MS);
    expect(times()).toEqual(['10:00:00', '10:30:00']);
  });

  it('stops at the end date and when deleted', async () => {
    const { scheduler, clock, times } = arrange({ schedule: { EndDate: '2026-03-01T10:01:00Z' } });
    await clock.advance(5 * MINUTE_MS);
    scheduler.delete('default', 'sweep');
    expect(times()).toEqual(['10:00:00', '10:01:00']);
    expect(scheduler.list()).toEqual([]);
  });
});

describe('after the last invocation', () => {
  const once = { ScheduleExpression: 'at(2026-03-01T10:01:00)' };

  it('a schedule is kept, unless it is to be deleted', async () => {
    const kept = arrange({ schedule: once });
    const deleted = arrange({ schedule: { ...once, ActionAfterCompletion: 'DELETE' } });
    for (const { clock, scheduler } of [kept, deleted]) {
      await clock.advance(MINUTE_MS);
      await scheduler.idle();
    }
    expect(kept.scheduler.list()).toHaveLength(1);
    expect(deleted.scheduler.list()).toHaveLength(0);
  });

  it('it is deleted only when the retries are over', async () => {
    const { scheduler, clock, times } = arrange({
      schedule: { ...once, ActionAfterCompletion: 'DELETE' },
      failures: 1,
    });
    await clock.advance(MINUTE_MS);
    expect(scheduler.list()).toHaveLength(1);
    await clock.advance(200);
    await scheduler.idle();
    expect(times()).toEqual(['10:01:00']);
    expect(scheduler.list()).toHaveLength(0);
  });
});

describe('what a target receives', () => {
  const once = { ScheduleExpression: 'at(2026-03-01T10:00:00)' };

  it.each<[string, Partial<TargetDefinition>, ScheduleTarget]>([
    ['a function', {}, { kind: 'lambda', arn: FUNCTION }],
    [
      'a queue',
      { Arn: QUEUE, SqsParameters: { MessageGroupId: 'g' } },
      { kind: 'sqs', arn: QUEUE, messageGroupId: 'g' },
    ],
    [
      'an event bus',
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

  it('its input with the context filled in', async () => {
    const Input =
      '{"at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>","n":<aws.scheduler.attempt-number>}';
    const { clock, invoked } = arrange({ schedule: once, target: { Input }, failures: 1 });
    await clock.advance(1000);
    expect(JSON.parse(invoked[0]?.payload ?? '')).toEqual({ at: '2026-03-01T10:00:00Z', by: ARN, n: 2 });
  });

  it('an event of its own when there is no input', async () => {
    const { clock, invoked } = arrange({ schedule: once, target: { Input: undefined } });
    await clock.advance(1);
    expect(JSON.parse(invoked[0]?.payload ?? '')).toMatchObject({
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      time: '2026-03-01T10:00:00Z',
      resources: [ARN],
      detail: '{}',
    });
  });
});

describe('failed invocations', () => {
  const schedule = { ScheduleExpression: 'at(2026-03-01T10:00:00)' };

  it('end in the dead letter queue when the retries are used up', async () => {
    const target = { DeadLetterConfig: { Arn: QUEUE }, RetryPolicy: { MaximumRetryAttempts: 1 }, Input: '{"a":1}' };
    const { clock, invoked, scheduler } = arrange({ schedule, target, failures: 99 });
    await clock.advance(MINUTE_MS);
    await scheduler.idle();

    expect(invoked).toMatchObject([
      {
        payload: '{"a":1}',
        target: {
          kind: 'sqs',
          arn: QUEUE,
          messageAttributes: {
            SCHEDULE_ARN: ARN,
            TARGET_ARN: FUNCTION,
            ERROR_MESSAGE: 'not now',
            RETRY_ATTEMPTS: '1',
            EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
          },
        },
      },
    ]);
  });

  it('are reported when there is no such queue', async () => {
    const { clock, lost } = arrange({ schedule, target: { RetryPolicy: { MaximumRetryAttempts: 0 } }, failures: 99 });
    await clock.advance(MINUTE_MS);
    expect(lost).toEqual([ARN]);
  });
});

describe('definitions refused', () => {
  it.each<[string, Loose<ScheduleDefinition>, Partial<TargetDefinition>]>([
    ['a name with a blank', { Name: 'a b' }, {}],
    ['an unknown expression', { ScheduleExpression: 'every(1 day)' }, {}],
    ['no flexible time window', { FlexibleTimeWindow: undefined }, {}],
    ['a flexible window without its length', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }, {}],
    ['a window when there is none', { FlexibleTimeWindow: { Mode: 'OFF', MaximumWindowInMinutes: 5 } }, {}],
    ['an end before the start', { StartDate: '2026-02-02T00:00:00Z', EndDate: '2026-02-01T00:00:00Z' }, {}],
    ['a date that is none', { StartDate: 'soon' }, {}],
    ['too many retries', {}, { RetryPolicy: { MaximumRetryAttempts: 186 } }],
    ['a target without a role', {}, { RoleArn: '' }],
    ['an event bus without source', {}, { Arn: 'arn:aws:events:us-east-1:000000000000:event-bus/rewards' }],
    ['a target of another kind', {}, { Arn: 'arn:aws:scheduler:::aws-sdk:dynamodb:putItem' }],
  ])('%s', (_, schedule, target) => {
    expect(() => arrange({ schedule, target })).toThrow(expect.objectContaining({ code: 'ValidationException' }));
  });
});
