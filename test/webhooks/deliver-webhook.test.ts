import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Delivering, deliver } from '../../functions/consumers/deliver-webhook/deliver.ts';
import { Deliveries } from '../../shared/store/deliveries.ts';
import { Subscriptions } from '../../shared/store/subscriptions.ts';
import type { DeliveryMessage } from '../../shared/webhooks/delivery-message.ts';
import { firstDelivery } from '../../shared/webhooks/delivery-message.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';
import { silentLog } from '../support/silent-log.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { anEvent, aSubscription } from './fixtures.ts';

const now = () => new Date('2026-03-01T12:00:00.000Z');
const thirtyDaysLaterSeconds = Date.parse('2026-03-31T12:00:00.000Z') / 1000;
const poster = createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now, deadlineMs: 400 });

let table: TestTable;
let subscriptions: Subscriptions;
let deliveries: Deliveries;
beforeAll(async () => {
  table = await makeTestTable();
  subscriptions = new Subscriptions(table.client);
  deliveries = new Deliveries(table.client);
});
afterAll(() => poster.close());

const closing: Receiver[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});

let organisationId = 5000;

/** An endpoint, its subscription, an event for it and what delivers it. */
async function scene(answer?: Answering) {
  const receiver = await startReceiver(answer);
  closing.push(receiver);
  organisationId += 1;
  const subscription = aSubscription({ organisationId, endpointUrl: `${receiver.url}/hooks` });
  await subscriptions.create(subscription);

  const queued: { message: DeliveryMessage; delaySeconds: number }[] = [];
  const send = async (messages: readonly DeliveryMessage[], delaySeconds = 0) => {
    queued.push(...messages.map((message) => ({ message, delaySeconds })));
  };
  const delivering: Delivering = { subscriptions, deliveries, queue: { send }, poster, now, random: () => 0.5 };
  const { log, lines } = silentLog();
  const message = firstDelivery(anEvent(), subscription);
  return {
    receiver,
    subscription,
    message,
    queued,
    lines,
    delivering,
    run: (over: Partial<Delivering> = {}, attempt = 1) =>
      deliver({ ...message, attempt }, { ...delivering, ...over }, log),
  };
}

const rows = ({ subscriptionId }: Subscription) => table.client.query({ partition: `DELIVERY#${subscriptionId}` });
const failing =
  (status: number, headers = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end('no');

describe('a delivery that succeeds', () => {
  it('is one request and one row that expires in 30 days', async () => {
    const { receiver, subscription, message, queued, lines, run } = await scene();
    await run();

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers['x-platform-event-id']).toBe(message.event.id);
    expect(queued).toEqual([]);
    expect(await rows(subscription)).toEqual([
      expect.objectContaining({ sk: message.event.id, state: 'delivered', attempt: 1, ttl: thirtyDaysLaterSeconds }),
    ]);
    expect(lines).toEqual([
      [
        'info',
        'delivery.attempted',
        expect.objectContaining({ eventId: message.event.id, attempt: 1, result: 'delivered', status: 200 }),
      ],
    ]);
  });

  it('is not sent again when its message comes again', async () => {
    const { receiver, subscription, run } = await scene();
    await run();
    await run();
    await run({}, 2);
    expect(receiver.received).toHaveLength(1);
    expect(await rows(subscription)).toHaveLength(1);
  });

  it('logs neither the URL, the salt nor what the endpoint answered', async () => {
    const { subscription, lines, run } = await scene((response) => response.end('their secret'));
    await run();
    const logged = JSON.stringify(lines);
    for (const secret of ['/hooks', subscription.salt, 'their secret']) expect(logged).not.toContain(secret);
  });
});

describe('a delivery that fails', () => {
  it('is one row and a message for the next attempt, later', async () => {
    const { subscription, message, queued, lines, run } = await scene(failing(500));
    await run();

    expect(queued).toEqual([{ message: { ...message, attempt: 2 }, delaySeconds: 5 }]);
    expect(await rows(subscription)).toEqual([
      expect.objectContaining({
        sk: `${message.event.id}#ATTEMPT#001`,
        outcome: expect.objectContaining({ errorClass: 'server_error', status: 500, excerpt: 'no' }),
        nextAttemptAt: '2026-03-01T12:00:05.000Z',
        ttl: thirtyDaysLaterSeconds,
      }),
    ]);
    expect(lines[0]?.[2]).toMatchObject({ errorClass: 'server_error', next: { kind: 'retry', delaySeconds: 5 } });
  });

  it('waits as long as the endpoint asks', async () => {
    const { queued, run } = await scene(failing(429, { 'retry-after': '200' }));
    await run();
    expect(queued[0]?.delaySeconds).toBe(220);
  });

  it('is parked when the endpoint asks for more than the queue can hold', async () => {
    const { subscription, message, queued, run } = await scene(failing(503, { 'retry-after': '3600' }));
    await run();

    expect(queued).toEqual([]);
    expect(await deliveries.parkedOf(subscription.subscriptionId)).toEqual([
      {
        message: { ...message, attempt: 2 },
        parkedAt: '2026-03-01T12:00:00.000Z',
        notBefore: '2026-03-01T13:00:00.000Z',
      },
    ]);
  });

  it('is parked after the last attempt, for 30 days, with all that is needed to go on', async () => {
    const { subscription, message, queued, run } = await scene(failing(500));
    for (let attempt = 1; attempt <= 5; attempt += 1) await run({}, attempt);

    expect(queued.map(({ delaySeconds }) => delaySeconds)).toEqual([5, 30, 120, 600]);
    const written = await rows(subscription);
    expect(written.map(({ sk }) => sk)).toEqual([
      ...[1, 2, 3, 4, 5].map((attempt) => `${message.event.id}#ATTEMPT#00${attempt}`),
      `PARKED#${message.event.id}`,
    ]);
    expect(written.at(-1)).toMatchObject({ message: { ...message, attempt: 6 }, ttl: thirtyDaysLaterSeconds });
    expect(written.at(-2)).toMatchObject({ nextAttemptAt: null });
  });

  it.each<[string, Answering, string]>([
    ['hangs', () => {}, 'timeout'],
    ['redirects', failing(302, { location: 'https://example.com/' }), 'redirect'],
    ['is gone', failing(410), 'gone'],
    ['hangs up', (_response, request) => request.socket.destroy(), 'reset'],
  ])('because the endpoint %s is no failed message', async (_, answer, errorClass) => {
    const { queued, subscription, run } = await scene(answer);
    await expect(run()).resolves.toBeUndefined();
    expect(queued).toHaveLength(1);
    expect(await rows(subscription)).toMatchObject([{ outcome: { errorClass } }]);
  });

  it('succeeds at a later attempt, at the URL that the endpoint has by then', async () => {
    const { subscription, message, run } = await scene(failing(500));
    await run();
    const recovered = await startReceiver();
    closing.push(recovered);
    const to = { endpointUrl: recovered.url, updatedAt: now().toISOString() };
    await subscriptions.moveEndpoint(subscription.organisationId, {}, to);
    await run({}, 2);

    expect(recovered.received).toHaveLength(1);
    expect(await deliveries.findSettled(message.subscription, message.event.id)).toMatchObject({
      state: 'delivered',
      attempt: 2,
    });
  });
});

describe('a delivery to a subscription that is gone', () => {
  it('is dropped, recorded and sent nowhere', async () => {
    const { receiver, subscription, message, queued, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    await run();

    expect(receiver.connections).toBe(0);
    expect(queued).toEqual([]);
    expect(await deliveries.findSettled(message.subscription, message.event.id)).toMatchObject({
      state: 'dropped',
      reason: 'unsubscribed',
    });
  });

  it('is not sent to the subscription that took its place', async () => {
    const { receiver, subscription, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    const { subscriptionId } = aSubscription();
    await subscriptions.create({ ...subscription, subscriptionId });
    await run();
    expect(receiver.connections).toBe(0);
  });
});

describe('a process that ends', () => {
  const ended = () => Promise.reject(new Error('killed'));

  it.each<[string, (real: Delivering) => Partial<Delivering>]>([
    ['before it reads the subscription', (real) => ({ subscriptions: { ...real.subscriptions, find: ended } })],
    ['before it posts', () => ({ poster: { post: ended } })],
    ['before it records', ({ deliveries: real }) => ({ deliveries: { ...bound(real), recordFailed: ended } })],
    ['before it queues the next attempt', () => ({ queue: { send: ended } })],
  ])('%s leaves the message, and the next run goes on', async (_, broken) => {
    const { queued, delivering, subscription, run } = await scene(failing(500));
    await expect(run(broken(delivering))).rejects.toThrow('killed');
    expect(queued).toEqual([]);

    await run();
    expect(queued).toHaveLength(1);
    expect(await rows(subscription)).toHaveLength(1);
  });

  it('between the answer and its record means that the endpoint hears it twice, with one id', async () => {
    const { receiver, delivering, message, run } = await scene();
    const broken = { deliveries: { ...bound(delivering.deliveries), recordSettled: ended } };
    await expect(run(broken)).rejects.toThrow('killed');
    await run();

    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([message.event.id, message.event.id]);
    expect(await deliveries.findSettled(message.subscription, message.event.id)).toMatchObject({ state: 'delivered' });
  });

  it('before it parks leaves the message, and the next run parks', async () => {
    const { delivering, subscription, run } = await scene(failing(500));
    const broken = { deliveries: { ...bound(delivering.deliveries), park: ended } };
    await expect(run(broken, 5)).rejects.toThrow('killed');
    await run({}, 5);
    expect(await deliveries.parkedOf(subscription.subscriptionId)).toHaveLength(1);
  });
});

/** The log's methods as plain functions, so that one of them can be replaced. */
function bound(real: Delivering['deliveries']): Delivering['deliveries'] {
  return {
    findSettled: (...args) => real.findSettled(...args),
    recordSettled: (...args) => real.recordSettled(...args),
    recordFailed: (...args) => real.recordFailed(...args),
    park: (...args) => real.park(...args),
  };
}
