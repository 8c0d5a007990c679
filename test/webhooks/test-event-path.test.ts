import type { IncomingHttpHeaders } from 'node:http';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as relayHandler } from '../../functions/consumers/relay-outbox/handler.ts';
import { handler as resumeHandler } from '../../functions/consumers/resume-endpoint/handler.ts';
import type { EndpointHealth } from '../../shared/webhooks/endpoint-health.ts';
import { send } from '../support/endpoint-requests.ts';
import { provisionOrganisation } from '../support/provision.ts';
import { startPutEventsReceiver } from '../support/put-events-receiver.ts';
import { type Answering, startReceiver } from '../support/receiver.ts';
import { makeTestQueue, sqsEvent, type TestQueue } from '../support/test-queue.ts';
import { storedDelivery, storedSubscription } from '../support/webhook-story.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let queue: TestQueue;
let bus: Awaited<ReturnType<typeof startPutEventsReceiver>>;
const closing: { close(): unknown }[] = [];
beforeAll(async () => {
  world = await makeWorld();
  queue = await makeTestQueue();
  bus = await startPutEventsReceiver(() => true);
  const [role, arn] = ['arn:aws:iam::000000000000:role/clock', 'arn:aws:events:us-east-1:000000000000:event-bus/bus'];
  Object.assign(process.env, {
    ...{ QUEUE_URL_DELIVER_SLOW: queue.url, QUEUE_URL_ENDPOINT: queue.url, AWS_ENDPOINT_URL_SQS: queue.endpoint },
    ...{ SCHEDULE_GROUP: 'group', SCHEDULE_ROLE_ARN: role, SCHEDULE_TARGET_ARN: arn, SCHEDULE_DEAD_LETTER_ARN: arn },
    ...{ BUS_NAME: 'bus', AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url },
  });
});
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
afterAll(async () => {
  await queue.stop();
  await bus.close();
});

/** An organisation with a subscription whose endpoint is a server of this test. */
async function subscribed(parts: { answer?: Answering; health?: EndpointHealth } = {}) {
  const receiver = await startReceiver(parts.answer);
  closing.push(receiver);
  const { id, apiKey } = await provisionOrganisation(world.platform, { name: 'Some Shop', kind: 'MERCHANT' });
  const { health } = parts;
  const subscription = await storedSubscription(world, id, {
    endpointUrl: `${receiver.url}/hooks`,
    ...(health && { health }),
  });
  const { subscriptionId } = subscription;
  const ask = async (name: string, more: Record<string, string> = {}) => {
    const params = { subscription_id: subscriptionId, ...more };
    const { status, body } = await send(`notification/${name}`, { params, headers: { 'x-api-key': apiKey } });
    expect(status).toBe(200);
    return body.data;
  };
  return { receiver, subscription, ask };
}

/**
 * Carries the events about a subscription from the table's stream over the bus to the function `resume-endpoint`.
 */
async function carryWork(subscriptionId: string): Promise<void> {
  const records: DynamoDBRecord[] = [];
  for await (const item of world.table.mirror.read(['outbox'])) {
    if (!JSON.stringify(item).includes(subscriptionId)) continue;
    const dynamodb = { NewImage: marshall(item), SequenceNumber: String(records.length) };
    records.push({ eventName: 'INSERT', dynamodb } as DynamoDBRecord);
  }
  const before = bus.taken.length;
  expect(await relayHandler({ Records: records })).toEqual({ batchItemFailures: [] });
  const entries = bus.taken.slice(before).filter(({ DetailType }) => DetailType === 'endpoint_due');
  // The rule of the queue passes on the detail of the event.
  for (const { Detail } of entries) expect(await resumeHandler(sqsEvent(Detail))).toEqual({ batchItemFailures: [] });
}

describe('the path from API to endpoint', () => {
  it('shows the result of a delivered test event', async () => {
    const { receiver, subscription, ask } = await subscribed();
    const { delivery } = await ask('test-webhook');
    await carryWork(subscription.subscriptionId);

    expect(receiver.received).toHaveLength(1);
    const [{ body, headers } = { body: '', headers: {} as IncomingHttpHeaders }] = receiver.received;
    const { subscriptionId: entity_id, salt } = subscription;
    expect(JSON.parse(body)).toEqual({ event: 'webhook.test', entity: 4, entity_id });
    expect(headers['webhook-id']).toBe(delivery.event_id);
    const secret = Buffer.from(salt).toString('base64');
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    const shown = await ask('get-delivery', { event_id: delivery.event_id });
    expect([shown.delivery.state, shown.attempts]).toMatchObject([
      'delivered',
      [{ result: 'delivered', response_status: 200 }],
    ]);
  });

  it('closes the circuit breaker after a successful test event', async () => {
    const health: EndpointHealth = { state: 'open', recent: 'FFFFF', probes: 3, resumeAt: '2126-01-01T00:00:00.000Z' };
    const { subscription, ask } = await subscribed({ health });
    await ask('test-webhook');
    await carryWork(subscription.subscriptionId);
    expect((await ask('get-webhook')).health.state).toBe('closed');
  });

  it('leaves the health unchanged after a failed test event', async () => {
    const { subscription, ask } = await subscribed({ answer: (response) => response.writeHead(404).end('no route') });
    const { delivery } = await ask('test-webhook');
    await carryWork(subscription.subscriptionId);
    const shown = await ask('get-delivery', { event_id: delivery.event_id });
    expect([shown.delivery.state, shown.attempts]).toMatchObject(['failed', [{ response_excerpt: 'no route' }]]);
    expect((await ask('get-webhook')).health).toMatchObject({ state: 'closed', failing_since: null });
  });

  it('repeats a failed delivery with the same event id', async () => {
    const { receiver, subscription, ask } = await subscribed();
    const { event } = await storedDelivery(world, subscription);
    await ask('replay-delivery', { event_id: event.id });
    await carryWork(subscription.subscriptionId);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event.id]);
    expect((await ask('get-webhook')).health.backlog.deliveries).toBe(0);
  });
});
