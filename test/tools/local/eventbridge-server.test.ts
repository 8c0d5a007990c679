import {
  EventBridgeClient,
  ListReplaysCommand,
  ListRulesCommand,
  PutEventsCommand,
  PutPartnerEventsCommand,
} from '@aws-sdk/client-eventbridge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventBus } from '../../../tools/local/eventbridge/bus.ts';
import { createEventBridgeServer } from '../../../tools/local/eventbridge/server.ts';

const queueArn = 'arn:aws:sqs:us-east-1:000000000000:orders';
const delivered: { arn: string; body: string }[] = [];

const bus = createEventBus({
  accountId: '000000000000',
  region: 'us-east-1',
  buses: ['rewards', 'aws.partner/stripe.com/ed_test'],
  rules: [
    {
      name: 'to-orders',
      busName: 'rewards',
      pattern: { source: ['shop'], detail: { total: [{ numeric: ['>', 0] }] } },
      targets: [
        { id: 'orders', arn: queueArn, retryPolicy: { maximumRetryAttempts: 3 }, deadLetterArn: `${queueArn}-dead` },
      ],
    },
    {
      name: 'from-stripe',
      busName: 'aws.partner/stripe.com/ed_test',
      pattern: { 'detail-type': ['charge.succeeded'] },
      targets: [{ id: 'payments', arn: `${queueArn}-payments` }],
    },
  ],
  deliver: async ({ arn }, body) => void delivered.push({ arn, body }),
});
const server = createEventBridgeServer(bus);
let client: EventBridgeClient;

beforeAll(async () => {
  client = new EventBridgeClient({
    endpoint: await server.listen(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
  });
});

afterAll(async () => {
  client.destroy();
  bus.close();
  await server.close();
});

const entry = { Source: 'shop', DetailType: 'order.paid', Detail: '{"total":5}', EventBusName: 'rewards' };

describe('PutEvents on the local server', () => {
  it('delivers the accepted entries and reports the refused ones', async () => {
    const answer = await client.send(
      new PutEventsCommand({ Entries: [entry, { ...entry, Detail: '{' }, { ...entry, Time: new Date(1.7e12) }] }),
    );
    await bus.idle();

    expect(answer.FailedEntryCount).toBe(1);
    expect(answer.Entries).toEqual([
      { EventId: expect.any(String) },
      { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
      { EventId: expect.any(String) },
    ]);
    const bodies = delivered.filter(({ arn }) => arn === queueArn).map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ id }) => id)).toEqual([answer.Entries?.[0]?.EventId, answer.Entries?.[2]?.EventId]);
    expect(bodies[1]).toMatchObject({ time: '2023-11-14T22:13:20Z', detail: { total: 5 } });
  });

  it.each([
    ['no entries', []],
    ['eleven entries', Array.from({ length: 11 }, () => entry)],
    ['more than 1 MB', [{ ...entry, Detail: JSON.stringify({ text: 'x'.repeat(1_048_576) }) }]],
  ])('refuses a call with %s', async (_, Entries) => {
    await expect(client.send(new PutEventsCommand({ Entries }))).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('accepts ten entries of nearly 1 MB in total', async () => {
    const Detail = JSON.stringify({ text: 'x'.repeat(104_000) });
    const Entries = Array.from({ length: 10 }, () => ({ ...entry, Detail }));
    expect(await client.send(new PutEventsCommand({ Entries }))).toMatchObject({ FailedEntryCount: 0 });
  });
});

describe('events of AWS and its partners', () => {
  it.each(['aws.partner/stripe.com/ed_test', 'aws.s3'])(
    'are refused by PutEvents when their source is %s',
    async (Source) => {
      const entry = { EventBusName: 'rewards', Source, DetailType: 'charge.succeeded', Detail: '{}' };
      const { Entries } = await client.send(new PutEventsCommand({ Entries: [entry] }));

      expect(Entries).toMatchObject([{ ErrorCode: 'NotAuthorizedForSourceException' }]);
    },
  );

  it('reach the bus of their source when sent with PutPartnerEvents', async () => {
    const Source = 'aws.partner/stripe.com/ed_test';
    await client.send(
      new PutPartnerEventsCommand({ Entries: [{ Source, DetailType: 'charge.succeeded', Detail: '{}' }] }),
    );
    await bus.idle();
    expect(delivered.map(({ arn }) => arn)).toContain(`${queueArn}-payments`);
  });
});

it('ListRules on the local server lists the rules of a bus', async () => {
  const { Rules } = await client.send(new ListRulesCommand({ EventBusName: 'rewards' }));
  expect(Rules).toMatchObject([
    {
      Name: 'to-orders',
      State: 'ENABLED',
      EventPattern: '{"source":["shop"],"detail":{"total":[{"numeric":[">",0]}]}}',
    },
  ]);
});

it('the local EventBridge server refuses an unknown operation and names it', async () => {
  await expect(client.send(new ListReplaysCommand({}))).rejects.toMatchObject({ name: 'UnknownOperationException' });
});
