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

/** Sends bodies in one call: the function receives them in one batch. */
async function send(...bodies: object[]): Promise<void> {
  const Entries = bodies.map((body, index) => ({ Id: String(index), MessageBody: JSON.stringify(body) }));
  const input = { QueueUrl: fixture.platform.queueUrl('Work'), Entries };
  await callAws(sqsService(fixture.platform.aws.sqs), 'SendMessageBatch', input);
}

/** Waits until a queue has this many messages. */
async function waitForMessages(queue: string, count: number): Promise<readonly string[]> {
  await expect.poll(() => fixture.platform.messages(queue).length, { timeout: 10_000, interval: 20 }).toBe(count);
  return fixture.platform.messages(queue);
}

function bodiesOf({ event }: PuppetCall): { n: number }[] {
  return event.Records.map(({ body }: { body: string }) => JSON.parse(body));
}

function reportFailures(isBad: (n: number) => boolean): (call: PuppetCall) => { return: object } {
  return ({ event }) => {
    const records = event.Records as { messageId: string; body: string }[];
    const bad = records.filter(({ body }) => isBad(JSON.parse(body).n));
    return { return: { batchItemFailures: bad.map(({ messageId }) => ({ itemIdentifier: messageId })) } };
  };
}

it('the SQS source passes messages in the format of Lambda, then deletes them', async () => {
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
  await waitForMessages('Work', 0);
});

it('the SQS source retries only failed messages, then moves them to the dead-letter queue', async () => {
  fixture.puppeteer.play(reportFailures((n) => n === 2));

  await send({ n: 1 }, { n: 2 }, { n: 3 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map((call) => bodiesOf(call).map(({ n }) => n))).toEqual([[1, 2, 3], [2]]);
  // The queue delivers a message at most twice.
  expect(await waitForMessages('Given', 1)).toEqual(['{"n":2}']);
  await waitForMessages('Work', 0);
});

it('the SQS source retries the whole batch when the function throws', async () => {
  let first = true;
  fixture.puppeteer.play(() => {
    const order = first ? { throw: 'broken' } : { return: null };
    first = false;
    return order;
  });

  await send({ n: 4 }, { n: 5 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map((call) => bodiesOf(call).length)).toEqual([2, 2]);
  await waitForMessages('Work', 0);
});

it('the SQS source deletes messages that the filter excludes, without a call of the function', async () => {
  fixture.puppeteer.play(() => ({ return: null }));

  await send({ n: 6, ignore: true }, { n: 7 });

  await waitForMessages('Work', 0);
  expect(fixture.puppeteer.calls.flatMap(bodiesOf)).toEqual([{ n: 7 }]);
});

it('the SQS source starts at most as many parallel invocations as the mapping allows', async () => {
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

  await waitForMessages('Work', 0);
  expect(most).toBe(2);
});

it('the SQS source passes a batch twice when a fault duplicates messages', async () => {
  fixture.puppeteer.play(() => ({ return: null }));
  fixture.platform.queueFaults.duplicate('Work');

  await send({ n: 20 });

  const calls = await fixture.puppeteer.until(2);
  expect(calls.map(bodiesOf)).toEqual([[{ n: 20 }], [{ n: 20 }]]);
});

it('the SQS source receives events that a rule sends to the queue', async () => {
  fixture.puppeteer.play(() => ({ return: null }));
  const entry = { EventBusName: fixture.platform.aws.bus, Source: 'test', DetailType: 'happened', Detail: '{"n":30}' };

  await fetch(fixture.platform.aws.events, {
    method: 'POST',
    headers: { 'x-amz-target': 'AWSEvents.PutEvents', 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify({ Entries: [entry, { ...entry, Source: 'other' }] }),
  });

  const [call] = await fixture.puppeteer.until(1);
  expect(call && bodiesOf(call)).toEqual([expect.objectContaining({ source: 'test', detail: { n: 30 } })]);
});
