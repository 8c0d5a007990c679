import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ListSchedulesCommand,
  ListTagsForResourceCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScheduler } from '../../../tools/local/scheduler/scheduler.ts';
import { createSchedulerServer } from '../../../tools/local/scheduler/server.ts';
import { manualClock } from './support/manual-clock.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:due';
const Target = { Arn: queueArn, RoleArn: 'arn:aws:iam::000000000000:role/scheduler', Input: '{"a":1}' };

const clock = manualClock('2026-03-01T10:00:00Z');
const invoked: string[] = [];
const scheduler = createScheduler({
  accountId: '000000000000',
  region: 'us-east-1',
  groups: ['nightly'],
  schedules: [
    {
      Name: 'from-template',
      ScheduleExpression: 'cron(0 0 * * ? *)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target,
    },
  ],
  invokeTarget: async ({ arn }, payload) => void invoked.push(`${arn} ${payload}`),
  clock,
});
const server = createSchedulerServer(scheduler);
let client: SchedulerClient;

beforeAll(async () => {
  client = new SchedulerClient({
    endpoint: await server.listen(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
  });
});

afterAll(async () => {
  client.destroy();
  scheduler.close();
  await server.close();
});

const create = (input: Partial<CreateScheduleCommandInput> & { Name: string }) =>
  client.send(
    new CreateScheduleCommand({
      ScheduleExpression: 'at(2026-03-01T10:05:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target,
      ...input,
    }),
  );

describe('a schedule from the API', () => {
  it('is deleted after its run when ActionAfterCompletion is DELETE', async () => {
    const { ScheduleArn } = await create({ Name: 'once', ActionAfterCompletion: 'DELETE' });
    expect(ScheduleArn).toBe('arn:aws:scheduler:us-east-1:000000000000:schedule/default/once');

    await clock.advance(5 * 60_000);
    await scheduler.idle();
    expect(invoked).toEqual([`${queueArn} {"a":1}`]);
    await expect(client.send(new DeleteScheduleCommand({ Name: 'once' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 404 },
    });
  });

  it('is replaced completely by UpdateSchedule', async () => {
    await create({ Name: 'changing', Description: 'first' });
    const FlexibleTimeWindow = { Mode: 'OFF' } as const;
    await client.send(
      new UpdateScheduleCommand({ Name: 'changing', ScheduleExpression: 'rate(2 hours)', FlexibleTimeWindow, Target }),
    );
    const { definition } = scheduler.get('default', 'changing');
    expect(definition).toMatchObject({ ScheduleExpression: 'rate(2 hours)' });
    expect(definition.Description).toBeUndefined();
    await client.send(new DeleteScheduleCommand({ Name: 'changing' }));
  });

  it('is refused if its name exists under another client token', async () => {
    const first = await create({ Name: 'twice', ClientToken: 'token' });
    expect((await create({ Name: 'twice', ClientToken: 'token' })).ScheduleArn).toBe(first.ScheduleArn);
    await expect(create({ Name: 'twice' })).rejects.toMatchObject({ name: 'ConflictException' });
    await client.send(new DeleteScheduleCommand({ Name: 'twice' }));
  });

  it('is refused when it is malformed', async () => {
    await expect(create({ Name: 'bad', ScheduleExpression: 'cron(0 0 * * * *)' })).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining('Invalid Schedule Expression'),
    });
    await expect(create({ Name: 'bad', GroupName: 'nowhere' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

it('ListSchedules on the local server lists the schedules whose names have a prefix', async () => {
  await create({ Name: 'from-api', GroupName: 'nightly', State: 'DISABLED' });
  const { Schedules } = await client.send(new ListSchedulesCommand({ NamePrefix: 'from-' }));
  expect(Schedules).toMatchObject([
    { GroupName: 'default', Name: 'from-template', State: 'ENABLED' },
    { GroupName: 'nightly', Name: 'from-api', State: 'DISABLED' },
  ]);
});

it('the local scheduler server refuses an unknown operation and names it', async () => {
  await expect(client.send(new ListTagsForResourceCommand({ ResourceArn: 'arn:x' }))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});
