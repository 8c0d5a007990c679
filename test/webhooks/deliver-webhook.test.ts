import { describe, expect, it } from 'vitest';
import type { Answering } from '../support/receiver.ts';
import { deliveryScenes, expirySeconds, failing } from './delivery-scene.ts';
import { aSubscription } from './fixtures.ts';

const { scene, receiving, rows } = deliveryScenes();

describe('a delivery that succeeds', () => {
  it('is one request and one row that expires in 30 days', async () => {
    const { receiver, subscription, message, queued, lines, run } = await scene();
    await run();

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers['x-platform-event-id']).toBe(message.event.id);
    expect(queued).toEqual([]);
    expect(await rows(subscription)).toEqual([
      expect.objectContaining({ sk: message.event.id, state: 'delivered', attempt: 1, ttl: expirySeconds }),
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
        ttl: expirySeconds,
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
    const { subscription, deliveries, message, queued, run } = await scene(failing(503, { 'retry-after': '3600' }));
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
    expect(written.at(-1)).toMatchObject({ message: { ...message, attempt: 6 }, ttl: expirySeconds });
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
    const { subscription, subscriptions, deliveries, message, run } = await scene(failing(500));
    await run();
    const recovered = await receiving();
    const to = { endpointUrl: recovered.url, updatedAt: '2026-03-01T12:00:03.000Z' };
    await subscriptions.moveEndpoint(subscription.organisationId, {}, to);
    await run({}, 2);

    expect(recovered.received).toHaveLength(1);
    expect(await deliveries.findFinalized(message.subscription, message.event.id)).toMatchObject({
      state: 'delivered',
      attempt: 2,
    });
  });
});

describe('a delivery to a subscription that is gone', () => {
  it('is dropped, recorded and sent nowhere', async () => {
    const { receiver, subscription, subscriptions, deliveries, message, queued, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    await run();

    expect(receiver.connections).toBe(0);
    expect(queued).toEqual([]);
    expect(await deliveries.findFinalized(message.subscription, message.event.id)).toMatchObject({
      state: 'dropped',
      reason: 'unsubscribed',
    });
  });

  it('is not sent to the subscription that took its place', async () => {
    const { receiver, subscription, subscriptions, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    const { subscriptionId } = aSubscription();
    await subscriptions.create({ ...subscription, subscriptionId });
    await run();
    expect(receiver.connections).toBe(0);
  });
});
