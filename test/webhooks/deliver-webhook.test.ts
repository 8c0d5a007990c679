import { describe, expect, it } from 'vitest';
import type { Answering } from '../support/receiver.ts';
import { deliveryScenes, expirySeconds, failing } from './delivery-scene.ts';
import { aSubscription } from './fixtures.ts';

const { scene, receiving, rows } = deliveryScenes();

describe('deliverWebhook(), when the endpoint accepts', () => {
  it('sends one request and stores one attempt that expires in 30 days', async () => {
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

  it('sends nothing for a repeated message', async () => {
    const { receiver, subscription, run } = await scene();
    await run();
    await run();
    await run({}, 2);
    expect(receiver.received).toHaveLength(1);
    expect(await rows(subscription)).toHaveLength(1);
  });

  it('does not log the URL, the salt and the body of the reply', async () => {
    const { subscription, lines, run } = await scene((response) => response.end('their secret'));
    await run();
    const logged = JSON.stringify(lines);
    for (const secret of ['/hooks', subscription.salt, 'their secret']) expect(logged).not.toContain(secret);
  });
});

describe('deliverWebhook(), when the endpoint fails', () => {
  it('stores one attempt and queues the next one with a delay', async () => {
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

  it('waits at least as long as Retry-After requires', async () => {
    const { queued, run } = await scene(failing(429, { 'retry-after': '200' }));
    await run();
    expect(queued[0]?.delaySeconds).toBe(220);
  });

  it('parks the delivery when Retry-After exceeds the maximum delay of the queue', async () => {
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

  it('parks the delivery for 30 days after the last attempt, with the message of the next attempt', async () => {
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
    ['does not reply', () => {}, 'timeout'],
    ['redirects', failing(302, { location: 'https://example.com/' }), 'redirect'],
    ['replies 410 Gone', failing(410), 'gone'],
    ['closes the connection', (_response, request) => request.socket.destroy(), 'reset'],
  ])(
    'stores the failure and deletes the message from the queue when the endpoint %s',
    async (_, answer, errorClass) => {
      const { queued, subscription, run } = await scene(answer);
      await expect(run()).resolves.toBeUndefined();
      expect(queued).toHaveLength(1);
      expect(await rows(subscription)).toMatchObject([{ outcome: { errorClass } }]);
    },
  );

  it('uses the current URL of the subscription in a later attempt', async () => {
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

describe('deliverWebhook(), when the subscription was deleted', () => {
  it('sends no request and stores that the delivery was dropped', async () => {
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

  it('sends no request to a later subscription with the same selector', async () => {
    const { receiver, subscription, subscriptions, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    const { subscriptionId } = aSubscription();
    await subscriptions.create({ ...subscription, subscriptionId });
    await run();
    expect(receiver.connections).toBe(0);
  });
});
