import { describe, expect, it } from 'vitest';
import { testEventName } from '../../shared/contracts/events.ts';
import { sweepEndpoints } from '../../shared/operations/webhook/sweep-endpoints.ts';
import { enabled, newHealth } from '../../shared/webhooks/endpoint-health.ts';
import { newReplayWrite } from '../../shared/store/webhook/replays.ts';
import { recordWrites } from '../../shared/store/webhook/deliveries.ts';
import type { Answering } from '../support/receiver.ts';
import { deliveryScenes, failing, start } from './delivery-scene.ts';
import { newId } from './fixtures.ts';

const { scene, receiving, table } = deliveryScenes();

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** An endpoint whose replies the test changes. */
function switchable() {
  const reply: { answer: Answering } = { answer: failing(500) };
  return { reply, answer: ((...args) => reply.answer(...args)) as Answering };
}
const accepts: Answering = (response) => response.writeHead(204).end();

/** A scene whose endpoint is open, with parked deliveries. */
async function openScene(parkedCount = 0) {
  const { reply, answer } = switchable();
  const made = await scene(answer);
  await made.deliver([made.message]);
  await made.until(start + 10 * minute);
  expect(await made.health()).toMatchObject({ state: 'open' });
  const waiting = Array.from({ length: parkedCount }, () => ({ ...made.message, event: made.newEvent() }));
  await made.deliver(waiting);
  return { ...made, reply, waiting };
}

describe('resumeEndpoint(), while the endpoint does not work', () => {
  it('sends 13 probes in five days, then disables the endpoint and keeps its deliveries', async () => {
    const { receiver, until, health, parked } = await openScene(5);
    const before = receiver.received.length;
    await until(start + 6 * day);
    expect(await health()).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    expect(receiver.received.length - before).toBeLessThanOrEqual(13);
    expect(await parked()).toHaveLength(6);
  });

  it('sends at most 40 requests in an hour, however many deliveries wait', async () => {
    const { reply, answer } = switchable();
    const { receiver, message, newEvent, deliver, until } = await scene(answer);
    for (let batch = 0; batch < 100; batch += 1) {
      await deliver(Array.from({ length: 10 }, () => ({ ...message, event: newEvent() })));
    }
    await until(start + hour);
    expect(receiver.received.length).toBeLessThanOrEqual(40);

    reply.answer = accepts;
    await until(start + 4 * hour);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1000);
  });

  it('sends one probe when several messages announce the work at the same time', async () => {
    const { receiver, sent, resume, health, time } = await openScene(3);
    const { resumeAt = '' } = (await health()) ?? {};
    time.ms = Date.parse(resumeAt);
    const before = receiver.received.length;
    const due = sent.find(({ to }) => to !== 'slow')?.message;
    if (!due || !('organisationId' in due)) throw new Error('no timer was set');
    await Promise.all([resume(due), resume(due), resume(due), resume(due)]);
    expect(receiver.received.length - before).toBe(1);
  });

  it('probes with another delivery when the endpoint cannot take the oldest one', async () => {
    const { receiver, reply, until, parked, message } = await openScene(3);
    reply.answer = (response, _request, { body }) =>
      response.writeHead(body.includes(message.event.entityId) ? 400 : 204).end();
    await until(start + 2 * hour);
    expect((await parked()).map(({ event }) => event.id)).toEqual([message.event.id]);
    expect(receiver.received.length).toBeLessThan(30);
  });

  it('announces degraded, disabled and recovered endpoints to their owner, in the outbox', async () => {
    const { subscription, reply, until } = await openScene(1);
    reply.answer = accepts;
    await until(start + hour);
    const events = await outboxOf(subscription.subscriptionId);
    expect(events).toEqual(['webhook.endpoint_degraded', 'webhook.endpoint_recovered']);
  });
});

async function outboxOf(subscriptionId: string): Promise<string[]> {
  const items = await table().scan();
  return items
    .flatMap(({ event }) => (isEvent(event) && event.entityId === subscriptionId ? [event] : []))
    .filter(({ name }) => name.startsWith('webhook.'))
    .toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1))
    .map(({ name }) => name);
}

const isEvent = (event: unknown): event is { entityId: string; name: string; occurredAt: string } =>
  typeof event === 'object' && event !== null && 'occurredAt' in event;

describe('resumeEndpoint(), after the endpoint has recovered', () => {
  it('sends every parked delivery once, the oldest first, at a rising rate', async () => {
    const { receiver, reply, until, waiting, message, parked, entry, health, lines } = await openScene(300);
    const before = receiver.received.length;
    reply.answer = accepts;
    await until(start + 2 * hour);

    const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(301);
    expect(ids).toHaveLength(301);
    // The probe is one of the deliveries with the fewest attempts. Deliveries of one step run side by side.
    const order = [message, ...waiting].map(({ event }) => event.id);
    expect(ids.slice(1).every((id, index) => Math.abs(order.indexOf(String(id)) - index) <= 21)).toBe(true);
    expect(await parked()).toEqual([]);
    expect(await entry()).toMatchObject({ state: 'delivered' });
    const after = await health();
    expect(after).toMatchObject({ state: 'closed' });
    expect(after?.resumeAt).toBeUndefined();
    expect(lines.filter(([level]) => level !== 'info')).toEqual([]);
  });

  it('sends less when the endpoint replies 429, and loses nothing', async () => {
    const { receiver, reply, until, parked, time } = await openScene(120);
    const accepted = new Set<string>();
    const perSecond = new Map<number, number>();
    reply.answer = (response, request) => {
      const second = Math.floor(time.ms / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      if ((perSecond.get(second) ?? 0) > 15) return response.writeHead(429, { 'retry-after': '1' }).end();
      accepted.add(String(request.headers['webhook-id']));
      return response.writeHead(200).end();
    };
    await until(start + 2 * day);
    expect(accepted.size).toBe(121);
    expect(await parked()).toEqual([]);
    expect(receiver.received.length).toBeLessThan(220);
  });

  it('continues after a run that was killed, without losing a delivery', async () => {
    const { receiver, reply, until, parked, deps, time } = await openScene(30);
    const before = receiver.received.length;
    reply.answer = accepts;
    let posts = 0;
    const dying = {
      poster: {
        post: async (request: Parameters<typeof deps.poster.post>[0]) => {
          posts += 1;
          if (posts === 8) throw new Error('killed');
          return deps.poster.post(request);
        },
      },
    };
    await expect(until(start + 2 * hour, dying)).rejects.toThrow('killed');
    // The queue delivers the message of the killed run again.
    await sweepEndpoints({ ...deps, now: () => new Date(time.ms + 3 * minute) });
    await until(time.ms + hour);
    expect(new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).size).toBe(31);
    expect(await parked()).toEqual([]);
  });

  it('finds a lost timer by the sweep', async () => {
    const { receiver, reply, sent, until, deps, time } = await openScene(3);
    reply.answer = accepts;
    const before = receiver.received.length;
    sent.splice(0);
    await until(start + 2 * hour);
    expect(receiver.received).toHaveLength(before);
    await sweepEndpoints(deps);
    await until(time.ms + minute);
    expect(receiver.received.length - before).toBe(4);
  });
});

describe('resumeEndpoint(), for a delivery that fails while the endpoint works', () => {
  it('makes 12 attempts in 76 hours, then fails the delivery, and delivers all others', async () => {
    let failures = 0;
    const { deliver, newEvent, message, until, entry, health, parked } = await scene((response, _request, { body }) => {
      const isRefused = body.includes(message.event.entityId);
      if (isRefused) failures += 1;
      response.writeHead(isRefused ? 400 : 204).end();
    });
    await deliver([message]);
    for (let at = 0; at < 80 * hour; at += 10 * minute) {
      const others = [1, 2, 3].map(() => ({ ...message, event: newEvent() }));
      await deliver(others);
      for (const { event } of others) expect(await entry(event.id)).toMatchObject({ state: 'delivered' });
      await until(start + at);
    }
    expect(failures).toBe(12);
    expect(await entry()).toMatchObject({ state: 'failed', attempts: 12, status: 400 });
    expect(await parked()).toEqual([]);
    expect((await health())?.resumeAt).toBeUndefined();
  });
});

describe('resumeEndpoint(), by order of the owner', () => {
  const context = (now: number) => ({ now: new Date(now), nextUuid: () => newId(new Date(now)) });

  it('sends what waits for a disabled endpoint when it is enabled', async () => {
    const { receiver, reply, until, found, subscriptions, time, parked } = await openScene(4);
    await until(start + 6 * day);
    reply.answer = accepts;
    const before = receiver.received.length;
    const disabled = await found();
    const health = enabled(disabled.health ?? newHealth, new Date(time.ms));
    await subscriptions.announceWork(disabled, health, context(time.ms));
    await announce();
    expect(receiver.received.length - before).toBe(5);
    expect(await parked()).toEqual([]);

    async function announce() {
      const { organisationId, subscriptionId } = disabled;
      const due = { id: newId(), name: 'endpoint_due', entityId: subscriptionId, organisationId } as const;
      await resumeAll({ ...due, occurredAt: new Date(time.ms).toISOString() });
    }
    async function resumeAll(due: Parameters<Awaited<ReturnType<typeof scene>>['resume']>[0]) {
      const { resume } = open;
      await resume(due);
      await until(time.ms + hour);
    }
  });
});

void receiving;
void recordWrites;
void newReplayWrite;
void testEventName;
