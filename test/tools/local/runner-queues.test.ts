import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { callAws, sqsService } from '../../../tools/local/aws-json.ts';
import { type Fixture, startFixture } from './support/fixture.ts';
import type { PuppetCall } from './support/puppeteer.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture('queues', { visibilityTimeoutSeconds: 1 });
}, 30_000);

afterAll(() => fixture.stop());
beforeEach(() => fixture.platform.queueFaults.clear());

/** Sends bodies in one call, so that they are received together. */
async function send(...bodies: object[]): Promise<void> {
  const Entries = bodies.map((body, index) => ({ Id: String(index), MessageBody: JSON.stringify(body) }));
  const input = { QueueUrl: fixture.platform.queueUrl('Work'), Entries };
  await callAws(sqsService(fixture.platform.aws.sqs), 'SendMessageBatch', input);
}

/** Resolves once a queue holds this many messages. */
async function untilHolds(queue: string, count: number): Promise<readonly string[]> {
  await expect.poll(() => fixture.platform.messages(queue).length, { timeout: 10_000, interval: 20 }).toBe(count);
  return fixture.platform.messages(queue);
}

function bodies({ event }: PuppetCall): { n: number }[] {
  return event.Records.map(({ body }: { body: string }) => JSON.parse(body));
}

function failing(isBad: (n: number) => boolean): (call: PuppetCall) => { return: object } {
  return ({ event }) => {
    const records = event.Records as { messageId: string; body: string }[];
    const bad = records.filter(({ body }) => isBad(JSON.parse(body).n));
    return { return: { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) } };
  };
}

it('hands messages over as Lambda does, and deletes them', async () => {
  fixture.puppeteer.play(() => ({ return: { batchItemFailures: [] } }));

  await send({ n: 1 });

  const [call] = await fixture.puppeteer.until(1);
  expect(call?.event).toEqual({
    Records: [
      {
        messageId: expect.any(String),
        receiptHandle: expect.any(String),
        body: '{"n":1}',
        attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }),
        messageAttributes: {},
        md5OfBody: expect.stringMatching(/^[0-9a-f]{32}$/),
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:queues-work-Work',
        awsRegion: 'us-east-1',
      },
    ],
  });
  await untilHolds('Work', 0);
});

it('keeps only the messages that the function says it failed, and gives them up at last', async () => {
  fixture.puppeteer.play(failing((n) => n === 2));

  await send({ n: 1 }, { n: 2 }, { n: 3 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map((call) => bodies(call).map(({ n }) => n))).toEqual([[1, 2, 3], [2]]);
  // Two receives are what the queue allows.
  expect(await untilHolds('Given', 1)).toEqual(['{"n":2}']);
  await untilHolds('Work', 0);
});

it('keeps the whole batch when the function throws', async () => {
  let first = true;
  fixture.puppeteer.play(() => {
    const order = first ? { throw: 'broken' } : { return: null };
    first = false;
    return order;
  });

  await send({ n: 4 }, { n: 5 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map((call) => bodies(call).length)).toEqual([2, 2]);
  await untilHolds('Work', 0);
});

it('deletes what its filter refuses without asking the function', async () => {
  fixture.puppeteer.play(() => ({ return: null }));

  await send({ n: 6, ignore: true }, { n: 7 });

  await untilHolds('Work', 0);
  expect(fixture.puppeteer.calls.flatMap(bodies)).toEqual([{ n: 7 }]);
});

it('runs no more invocations at once than the mapping allows', async () => {
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  fixture.puppeteer.play(async () => {
    running += 1;
    most = Math.max(most, running);
    await gate.promise;
    running -= 1;
    return { return: null };
  });

  await send({ n: 10 });
  await fixture.puppeteer.until(1);
  await send({ n: 11 });
  await fixture.puppeteer.until(2);
  await send({ n: 12 });
  gate.resolve();

  await untilHolds('Work', 0);
  expect(most).toBe(2);
});

it('hands a batch over twice when told to', async () => {
  fixture.puppeteer.play(() => ({ return: null }));
  fixture.platform.queueFaults.duplicate('Work');

  await send({ n: 20 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map(bodies)).toEqual([[{ n: 20 }], [{ n: 20 }]]);
});

it('brings events of the bus to the queue of their rule', async () => {
  fixture.puppeteer.play(() => ({ return: null }));
  const entry = { EventBusName: fixture.platform.aws.bus, Source: 'test', DetailType: 'happened', Detail: '{"n":30}' };

  await fetch(fixture.platform.aws.events, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.PutEvents', 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify({ Entries: [entry, { ...entry, Source: 'other' }] }),
  });

  const [call] = await fixture.puppeteer.until(1);
  expect(call && bodies(call)).toEqual([expect.objectContaining({ source: 'test', detail: { n: 30 } })]);
});
