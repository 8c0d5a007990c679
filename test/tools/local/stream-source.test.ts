import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAws, dynamoDbService } from '../../../tools/local/aws-json.ts';
import { type Fixture, startFixture } from './support/fixture.ts';
import type { PuppetAction, PuppetCall } from './support/puppeteer.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture('stream');
}, 30_000);

afterAll(() => fixture.stop());

/** Writes items in one DynamoDB transaction: their records are in one batch. */
async function put(...keys: string[]): Promise<void> {
  const { table, dynamodb } = fixture.platform.aws;
  const TransactItems = keys.map((key) => ({
    Put: { TableName: table, Item: { pk: { S: key }, sk: { S: '1' }, size: { N: '12345678901234567890' } } },
  }));
  await callAws(dynamoDbService(dynamodb), 'TransactWriteItems', { TransactItems });
}

function keysOf({ event }: PuppetCall): string[] {
  return event.Records.map(
    ({ dynamodb }: { dynamodb: { Keys: { pk: { S: string } } } }) => dynamodb.Keys.pk.S.split('#')[1],
  );
}

const succeed: PuppetAction = { return: { batchItemFailures: [] } };

/** Waits until the function has received the key `last`. Returns all keys that it has received, in order. */
async function waitForKeys(last: string): Promise<string[]> {
  await fixture.puppeteer.until(1, (call) => keysOf(call).includes(last));
  return fixture.puppeteer.calls.flatMap(keysOf);
}

it('the stream source passes records in the format of Lambda', async () => {
  fixture.puppeteer.play(() => succeed);

  await put('OUTBOX#a');

  const [call] = await fixture.puppeteer.until(1);
  expect(call?.event.Records).toEqual([
    {
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/stream-data-Table/stream/local',
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'OUTBOX#a' }, sk: { S: '1' } },
        NewImage: { pk: { S: 'OUTBOX#a' }, sk: { S: '1' }, size: { N: '12345678901234567890' } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
    },
  ]);
});

it('the stream source keeps empty maps and lists, whose type DynamoDB Local omits', async () => {
  fixture.puppeteer.play(() => succeed);
  const Item = { pk: { S: 'OUTBOX#empty' }, sk: { S: '1' }, map: { M: {} }, list: { L: [{ M: {} }, { L: [] }] } };
  const { table, dynamodb } = fixture.platform.aws;
  await callAws(dynamoDbService(dynamodb), 'PutItem', { TableName: table, Item });

  const [call] = await fixture.puppeteer.until(1, (one) => keysOf(one).includes('empty'));
  expect(call?.event.Records).toMatchObject([{ dynamodb: { NewImage: Item } }]);
});

it('the stream source keeps the order and omits records that the filter excludes', async () => {
  fixture.puppeteer.play(() => succeed);

  for (const n of [1, 2, 3, 4, 5, 6]) await put(`OUTBOX#o${n}`, `OTHER#o${n}`);

  expect(await waitForKeys('o6')).toEqual(['o1', 'o2', 'o3', 'o4', 'o5', 'o6']);
});

it('the stream source continues with the first record that the function reported as failed', async () => {
  let failed = false;
  fixture.puppeteer.play(({ event }) => {
    const records = event.Records as { dynamodb: { SequenceNumber: string; Keys: { pk: { S: string } } } }[];
    const bad = records.find(({ dynamodb }) => dynamodb.Keys.pk.S === 'OUTBOX#r2');
    if (!bad || failed) return succeed;
    failed = true;
    return { return: { batchItemFailures: [{ itemIdentifier: bad.dynamodb.SequenceNumber }] } };
  });

  await put('OUTBOX#r1', 'OUTBOX#r2', 'OUTBOX#r3');

  await fixture.puppeteer.until(2, (call) => keysOf(call).includes('r3'));
  expect(fixture.puppeteer.calls.map(keysOf)).toEqual([
    ['r1', 'r2', 'r3'],
    ['r2', 'r3'],
  ]);
});

it('the stream source sends a record to the failure destination when it fails every time', async () => {
  fixture.puppeteer.play((call) => (keysOf(call).includes('b2') ? { throw: 'broken' } : succeed));

  await put('OUTBOX#b1', 'OUTBOX#b2', 'OUTBOX#b3', 'OUTBOX#b4');
  await put('OUTBOX#b5');

  await fixture.puppeteer.until(1, (call) => keysOf(call).includes('b5'));
  const handled = fixture.puppeteer.calls.filter((call) => !keysOf(call).includes('b2')).flatMap(keysOf);
  expect(handled).toEqual(['b1', 'b3', 'b4', 'b5']);
  // The batch is halved until it contains only `b2`. Then the mapping allows one retry.
  expect(fixture.puppeteer.calls.filter((call) => keysOf(call).join() === 'b2')).toHaveLength(2);
  const [discarded] = fixture.platform.messages('Lost').map((body) => JSON.parse(body));
  expect(discarded).toMatchObject({
    version: '1.0',
    requestContext: {
      functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:stream-work-Reader',
      condition: 'RetryAttemptsExhausted',
      approximateInvokeCount: 2,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    DDBStreamBatchInfo: {
      shardId: expect.stringMatching(/^shardId-/),
      batchSize: 1,
      streamArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/stream-data-Table/stream/local',
    },
  });
  expect(discarded.DDBStreamBatchInfo.startSequenceNumber).toBe(discarded.DDBStreamBatchInfo.endSequenceNumber);
});
