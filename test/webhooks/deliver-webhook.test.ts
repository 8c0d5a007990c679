import { describe, expect, it } from 'vitest';
import type { Answering } from '../support/receiver.ts';
import { deliveryScenes, expirySeconds, failing, start } from './delivery-scene.ts';
import { aSubscription, newId } from './fixtures.ts';

const { scene, receiving, rows } = deliveryScenes();

describe('deliverWebhooks(), when the endpoint accepts', () => {
  it('stores one row that expires in 30 days', async () => {
    const { receiver, subscription, message, sent, lines, run } = await scene();
    await run();

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers['x-platform-event-id']).toBe(message.event.id);
    expect(sent).toEqual([]);
    expect(await rows(subscription)).toEqual([
      expect.objectContaining({ sk: `LOG#${message.event.id}`, state: 'delivered', attempts: 1, ttl: expirySeconds }),
    ]);
    expect(lines).toEqual([
      [
        'info',
        'delivery.attempted',
        expect.objectContaining({ eventId: message.event.id, attempt: 1, result: 'delivered', status: 200 }),
      ],
    ]);
  });

  it('stores a success in one write unit', async () => {
    const { subscription, run } = await scene();
    await run();
    const [row] = await rows(subscription);
    expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThan(1024);
  });

  it('sends nothing for a repeated message', async () => {
    const { receiver, subscription, run } = await scene();
    await run();
    await run();
    await run({}, 2);
    expect(receiver.received).toHaveLength(1);
    expect(await rows(subscription)).toHaveLength(1);
  });

  it('writes the endpoint’s health only for the first successes', async () => {
    const { deliver, message, newEvent, found } = await scene();
    const ten = () => Array.from({ length: 10 }, () => ({ ...message, event: newEvent() }));
    await deliver(ten());
    const { healthVersion, health } = await found();
    expect(health?.recent).toBe('S'.repeat(20));
    await deliver(ten());
    expect((await found()).healthVersion).toBe(healthVersion);
  });

  it('handles the message even when the delivery cannot be recorded', async () => {
    const { receiver, lines, deps, run } = await scene();
    const record = () => Promise.reject(new Error('throttled'));
    const finalAmong = async () => new Set<string>();
    await run({ deliveries: { ...deps.deliveries, record, finalAmong } });
    expect(receiver.received).toHaveLength(1);
    expect(lines.map(([level, text]) => [level, text])).toContainEqual(['warn', 'delivery.not_recorded']);
  });

  it('does not log the URL, the salt or the reply', async () => {
    const { subscription, lines, run } = await scene((response) => response.end('their secret'));
    await run();
    const logged = JSON.stringify(lines);
    for (const secret of ['/hooks', subscription.salt, 'their secret']) expect(logged).not.toContain(secret);
  });
});

describe('deliverWebhooks(), when the endpoint fails', () => {
  it('delays the next attempt in the slow lane', async () => {
    const { subscription, message, sent, lines, run, entry } = await scene(failing(500));
    await run();

    expect(sent).toEqual([{ to: 'slow', message: { ...message, attempt: 2 }, atMs: start + 5000 }]);
    expect(await entry()).toMatchObject({ state: 'retrying', status: 500, nextAttemptAt: '2026-03-01T12:00:05.000Z' });
    expect(await rows(subscription)).toMatchObject([
      {
        sk: `ATTEMPT#${message.event.id}#2026-03-01T12:00:00.000Z`,
        outcome: { errorClass: 'server_error', status: 500, excerpt: 'no' },
        ttl: expirySeconds,
      },
      { sk: `LOG#${message.event.id}` },
    ]);
    expect(lines[0]?.[2]).toMatchObject({ errorClass: 'server_error', next: { kind: 'retry', delaySeconds: 5 } });
  });

  it('waits at least as long as Retry-After requires', async () => {
    const { sent, run } = await scene(failing(429, { 'retry-after': '200' }));
    await run();
    expect(sent.map(({ to, atMs }) => [to, atMs - start])).toEqual([['slow', 220_000]]);
  });

  it('parks the delivery when Retry-After exceeds a queue’s maximum delay', async () => {
    const { sent, run, health, parked } = await scene(failing(503, { 'retry-after': '3600' }));
    await run();
    expect(sent.map(({ to, atMs }) => [to, atMs - start])).toEqual([['schedule', 3_600_000]]);
    expect(await health()).toMatchObject({ state: 'open', resumeAt: '2026-03-01T13:00:00.000Z' });
    expect(await parked()).toMatchObject([{ attempt: 2 }]);
  });

  it.each<[string, Answering, string]>([
    ['does not reply', () => {}, 'timeout'],
    ['redirects', failing(302, { location: 'https://example.com/' }), 'redirect'],
    ['replies 410 Gone', failing(410), 'gone'],
    ['closes the connection', (_response, request) => request.socket.destroy(), 'reset'],
  ])('stores the failure and handles the message when the endpoint %s', async (_, answer, errorClass) => {
    const { sent, run, entry } = await scene(answer);
    await expect(run()).resolves.toBeUndefined();
    expect(sent).toHaveLength(1);
    expect(await entry()).toMatchObject({ state: 'retrying', errorClass });
  });

  it('sends only two deliveries of a batch of ten, and queues all ten again', async () => {
    const { receiver, message, newEvent, deliver, sent } = await scene(failing(500));
    const batch = Array.from({ length: 10 }, () => ({ ...message, event: newEvent() }));
    expect(await deliver(batch)).toEqual(batch.map(() => undefined));
    expect(receiver.received).toHaveLength(2);
    expect(sent).toHaveLength(10);
    const others = batch.slice(2).map(({ event }) => event.id);
    const untried = sent.flatMap((one) => (one.to === 'slow' && one.message.attempt === 1 ? one.message.event.id : []));
    expect(untried).toEqual(others);
  });

  it('parks deliveries untried while the circuit breaker is open', async () => {
    const { receiver, message, newEvent, deliver, until, parked, entry } = await scene(failing(500));
    await deliver(Array.from({ length: 5 }, () => ({ ...message, event: newEvent() })));
    await until(start + 11_000);
    const requests = receiver.received.length;
    const late = { ...message, event: newEvent() };
    await deliver([late]);
    expect(receiver.received).toHaveLength(requests);
    expect((await parked()).map(({ event }) => event.id)).toContain(late.event.id);
    expect(await entry(late.event.id)).toMatchObject({ state: 'parked', attempts: 0 });
  });

  it('moves deliveries from the fast lane to the slow lane', async () => {
    const { receiver, message, newEvent, deliver, sent } = await scene(failing(500));
    await deliver([message], {}, 'fast');
    expect(receiver.received).toEqual([]);
    expect(sent).toMatchObject([{ to: 'slow', message, atMs: start }]);

    const answers = { status: 200 };
    const good = await scene((response) => response.writeHead(answers.status).end());
    await good.deliver(Array.from({ length: 6 }, () => ({ ...good.message, event: good.newEvent() })));
    await good.deliver([{ ...good.message, event: good.newEvent() }], {}, 'fast');
    expect(good.receiver.received).toHaveLength(7);
    answers.status = 500;
    const failed = { ...good.message, event: good.newEvent() };
    const next = { ...good.message, event: newEvent() };
    await good.deliver([failed], {}, 'fast');
    await good.deliver([next], {}, 'fast');
    expect(good.receiver.received).toHaveLength(8);
    expect(good.sent).toMatchObject([
      { to: 'slow', message: { ...failed, attempt: 2 } },
      { to: 'slow', message: next },
    ]);
  });

  it('uses a changed URL in the next attempt', async () => {
    const { subscriptions, found, time, run, entry } = await scene(failing(500));
    await run();
    const recovered = await receiving();
    const to = { endpointUrl: recovered.url, now: new Date(time.ms), nextUuid: () => newId() };
    await subscriptions.moveEndpoint(await found(), to);
    time.ms += 6000;
    await run({}, 2);

    expect(recovered.received).toHaveLength(1);
    expect(await entry()).toMatchObject({ state: 'delivered', attempts: 2 });
  });
});

describe('deliverWebhooks(), when the subscription was deleted', () => {
  it('drops the delivery without a request', async () => {
    const { receiver, subscription, subscriptions, sent, run, entry } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    await run();

    expect(receiver.connections).toBe(0);
    expect(sent).toEqual([]);
    expect(await entry()).toMatchObject({ state: 'dropped', attempts: 0 });
  });

  it('sends nothing to a later subscription', async () => {
    const { receiver, subscription, subscriptions, run } = await scene();
    await subscriptions.remove(subscription.organisationId, {});
    const { subscriptionId } = aSubscription();
    await subscriptions.create({ ...subscription, subscriptionId });
    await run();
    expect(receiver.connections).toBe(0);
  });
});
