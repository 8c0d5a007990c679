import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAws, dynamoDbService, sqsService } from '../../../tools/local/aws-json.ts';
import { type Fixture, startFixture } from './support/fixture.ts';
import type { PuppetCall } from './support/puppeteer.ts';

let fixture: Fixture;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

beforeAll(async () => {
  fixture = await startFixture('clocked', { clock: 'controlled', recordDynamoDb: true });
}, 30_000);

afterAll(() => fixture.stop());
beforeEach(() => fixture.puppeteer.play(() => ({ return: null })));

const { stringify } = JSON;

async function send(body: object, delaySeconds = 0): Promise<void> {
  const input = {
    QueueUrl: fixture.platform.queueUrl('Work'),
    MessageBody: stringify(body),
    DelaySeconds: delaySeconds,
  };
  await callAws(sqsService(fixture.platform.aws.sqs), 'SendMessage', input);
}

/** Creates a schedule that sends `{ "n": name }` to a queue, where `name` is the name of the schedule. */
async function schedule(name: string, expression: string, queue = 'Work'): Promise<void> {
  const Target = {
    Arn: `arn:aws:sqs:us-east-1:000000000000:clocked-work-${queue}`,
    RoleArn: 'arn:aws:iam::000000000000:role/clocked',
    Input: stringify({ n: name }),
  };
  const reply = await fetch(`${fixture.platform.aws.scheduler}/schedules/${name}`, {
    method: 'POST',
    body: stringify({ ScheduleExpression: expression, FlexibleTimeWindow: { Mode: 'OFF' }, Target }),
  });
  expect(reply.status).toBe(200);
}

/** Returns the expression of a one-time schedule. As it has whole seconds, it can be up to a second too early. */
function inTime(afterMs: number): string {
  return `at(${new Date(fixture.platform.clock.now() + afterMs).toISOString().slice(0, 19)})`;
}

interface Arrival {
  readonly n: unknown;
  /** The minutes from the start to the handler's call, rounded, by the clock of the handler. */
  readonly minutes: number;
}

function arrivalsSince(startMs: number): Arrival[] {
  return fixture.puppeteer.calls.flatMap(({ event, context }: PuppetCall) =>
    event.Records.map(({ body }: { body: string }) => ({
      n: JSON.parse(body).n,
      minutes: Math.round((Number(context.nowMs) - startMs) / minuteMs),
    })),
  );
}

describe('a handler with a controlled clock', () => {
  it('reads the moved time from Date', async () => {
    const { clock } = fixture.platform;
    await clock.advance(400 * 24 * hourMs);

    await fixture.platform.invoke('Endpoint', {});

    const [call] = await fixture.puppeteer.until(1);
    const nowMs = Number(call?.context.nowMs);
    expect(Math.abs(clock.now() - nowMs)).toBeLessThan(5_000);
    expect(nowMs - Date.now()).toBeGreaterThan(399 * 24 * hourMs);
    expect(String(call?.context.now).slice(0, 16)).toBe(new Date(nowMs).toISOString().slice(0, 16));
  });

  it('keeps its remaining time when the clock moves', async () => {
    fixture.puppeteer.play(async () => {
      await fixture.platform.clock.advance(hourMs);
      return { readRemaining: true };
    });

    const { payload } = await fixture.platform.invoke('Endpoint', {});

    const [remainingMs] = JSON.parse(payload ?? '[]');
    expect(remainingMs).toBeGreaterThan(1_000);
    expect(remainingMs).toBeLessThan(5_000);
  });

  it('does not repeat a call that DynamoDB refused', async () => {
    const item = { pk: { S: 'USER#clock' }, sk: { S: 'USER' } };
    const TableName = fixture.platform.aws.table;
    await callAws(dynamoDbService(fixture.platform.aws.dynamodb), 'PutItem', { TableName, Item: item });
    await fixture.platform.clock.advance(24 * hourMs);
    fixture.platform.clearCalls();
    const input = { TableName, Item: item, ConditionExpression: 'attribute_not_exists(pk)' };
    fixture.puppeteer.play(() => ({ sdk: { command: 'PutItemCommand', input } }));

    const { payload } = await fixture.platform.invoke('Endpoint', {});

    expect(payload).toBe('[{"error":"ConditionalCheckFailedException"}]');
    expect(fixture.platform.calls().map(({ operation }) => operation)).toEqual(['PutItem']);
  });
});

describe('queues with a controlled clock', () => {
  it('deliver a delayed message only after its delay', async () => {
    const { clock, settled } = fixture.platform;
    await send({ n: 1 }, 900);
    await clock.advance(14 * minuteMs);
    await settled();
    expect(fixture.puppeteer.calls).toEqual([]);

    const startMs = clock.now();
    await clock.advance(minuteMs);
    await settled();

    expect(arrivalsSince(startMs)).toEqual([{ n: 1, minutes: 1 }]);
    const [record] = fixture.puppeteer.calls[0]?.event.Records ?? [];
    expect(Number(record.attributes.SentTimestamp) - Date.now()).toBeGreaterThan(hourMs);
  });

  it('deliver a failed message again after its visibility timeout', async () => {
    fixture.puppeteer.play(() => ({ throw: 'broken' }));
    const { clock, messages, settled } = fixture.platform;
    await send({ n: 2 });
    await settled();
    expect(fixture.puppeteer.calls).toHaveLength(1);

    await clock.advance(29_000);
    await settled();
    expect(fixture.puppeteer.calls).toHaveLength(1);
    await clock.advance(1_000);
    await settled();
    expect(fixture.puppeteer.calls).toHaveLength(2);
    await clock.advance(30_000);
    await settled();

    expect(messages('Given')).toEqual(['{"n":2}']);
    expect(fixture.puppeteer.calls).toHaveLength(2);
  });
});

describe('the scheduler with a controlled clock', () => {
  it('runs one-time schedules in the sequence of their times', async () => {
    await schedule('last', inTime(20 * hourMs), 'Given');
    await schedule('first', inTime(hourMs), 'Given');
    await schedule('later', inTime(25 * hourMs), 'Given');
    await schedule('middle', inTime(5 * hourMs), 'Given');

    await fixture.platform.clock.advance(24 * hourMs);

    expect(fixture.platform.messages('Given').slice(-3)).toEqual(['{"n":"first"}', '{"n":"middle"}', '{"n":"last"}']);
  });

  it('runs a recurring schedule once per advance', async () => {
    await schedule('always', 'cron(0/5 * * * ? *)', 'Lost');

    // Ends two minutes after a due time, so that the clock does not reach another due time during the test.
    const { clock } = fixture.platform;
    await clock.advance(24 * hourMs + 2 * minuteMs - (clock.now() % (5 * minuteMs)));

    expect(fixture.platform.messages('Lost')).toEqual(['{"n":"always"}']);
    const url = `${fixture.platform.aws.scheduler}/schedules/always`;
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(200);
  });
});

describe('a day’s events with a controlled clock', () => {
  it('arrive within seconds, each at its time', async () => {
    const { clock, elapse } = fixture.platform;
    const realMs = performance.now();
    const startMs = clock.now();
    // The delayed message arrives after 15 minutes. It causes another message 15 minutes later.
    fixture.puppeteer.play(async ({ event }) => {
      if (event.Records[0].body.includes('delayed')) await send({ n: 'again' }, 900);
      return { return: null };
    });
    await schedule('tomorrow', inTime(24 * hourMs));
    await send({ n: 'delayed' }, 900);

    await elapse(25 * hourMs);

    expect(arrivalsSince(startMs)).toEqual([
      { n: 'delayed', minutes: 15 },
      { n: 'again', minutes: 30 },
      { n: 'tomorrow', minutes: 24 * 60 },
    ]);
    expect(Math.round((clock.now() - startMs) / hourMs)).toBe(25);
    expect(performance.now() - realMs).toBeLessThan(15_000);
  });
});

describe('settled() of a platform', () => {
  it('waits for the function that reads a stream', async () => {
    const Item = { pk: { S: 'OUTBOX#settled' }, sk: { S: 'A' } };
    await callAws(dynamoDbService(fixture.platform.aws.dynamodb), 'PutItem', {
      TableName: fixture.platform.aws.table,
      Item,
    });

    await fixture.platform.settled();

    expect(fixture.puppeteer.calls.map(({ name }) => name)).toEqual(['Reader']);
  });

  it('throws an error while an invocation runs, and names the function', async () => {
    const gate = Promise.withResolvers<void>();
    fixture.puppeteer.play(async () => {
      await gate.promise;
      return { return: null };
    });
    await send({ n: 3 });
    await fixture.puppeteer.until(1);

    await expect(fixture.platform.settled(200)).rejects.toThrow(/still busy: Worker, clocked-work-Work/);

    gate.resolve();
    await fixture.platform.settled();
    expect(fixture.platform.messages('Work')).toEqual([]);
  });
});
