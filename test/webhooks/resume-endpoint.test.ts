import { describe, expect, it } from 'vitest';
import { testEventName } from '../../shared/contracts/events.ts';
import { sweepEndpoints } from '../../shared/operations/webhook/sweep-endpoints.ts';
import { recordWrites } from '../../shared/store/webhook/deliveries.ts';
import { newReplayWrite } from '../../shared/store/webhook/replays.ts';
import { enabled, newHealth } from '../../shared/webhooks/endpoint-health.ts';
import type { Answering } from '../support/receiver.ts';
import { deliveryScenes, failing, start } from './delivery-scene.ts';
import { newId } from './fixtures.ts';

const { scene, table } = deliveryScenes();

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** An endpoint whose replies the test changes. */
function switchable() {
  const reply: { answer: Answering } = { answer: failing(500) };
  return { reply, answer: ((...args) => reply.answer(...args)) as Answering };
}
const accepts: Answering = (response) => response.writeHead(204).end();

/** A scene with at least five parked deliveries and an open circuit breaker. */
async function openScene(parkedCount = 5) {
  const { reply, answer } = switchable();
  const made = await scene(answer);
  const first = [made.message, ...[1, 2, 3, 4].map(() => ({ ...made.message, event: made.newEvent() }))];
  await made.deliver(first);
  await made.until(start + minute);
  expect(await made.health()).toMatchObject({ state: 'open' });
  const later = Array.from({ length: parkedCount - first.length }, () => ({ ...made.message, event: made.newEvent() }));
  await made.deliver(later);
  return { ...made, reply, waiting: [...first, ...later] };
}

describe('resumeEndpoint(), while the endpoint fails', () => {
  it('disables the endpoint after 13 probes in five days', async () => {
    const { receiver, until, health, parked } = await openScene(5);
    const before = receiver.received.length;
    await until(start + 6 * day);
    expect(await health()).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    expect(receiver.received.length - before).toBeLessThanOrEqual(13);
    expect(await parked()).toHaveLength(5);
  });

  it('sends at most 40 requests in an hour', async () => {
    const { reply, answer } = switchable();
    const { receiver, message, newEvent, deliver, until } = await scene(answer);
    for (let batch = 0; batch < 12; batch += 1) {
      await deliver(Array.from({ length: 10 }, () => ({ ...message, event: newEvent() })));
    }
    await until(start + hour);
    expect(receiver.received.length).toBeLessThanOrEqual(40);

    reply.answer = accepts;
    await until(start + 4 * hour);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(120);
  });

  it('sends one probe when several messages ask for the same probe', async () => {
    const { receiver, sent, resume, health, time } = await openScene(5);
    const { resumeAt = '' } = (await health()) ?? {};
    time.ms = Date.parse(resumeAt);
    const before = receiver.received.length;
    const due = sent.find(({ to }) => to !== 'slow')?.message;
    if (!due || !('organisationId' in due)) throw new Error('no timer was set');
    await Promise.all([resume(due), resume(due), resume(due), resume(due)]);
    expect(receiver.received.length - before).toBe(1);
  });

  it('probes with another delivery when the endpoint refuses the oldest', async () => {
    const { receiver, reply, until, parked, message } = await openScene(5);
    reply.answer = (response, _request, { body }) =>
      response.writeHead(body.includes(message.event.entityId) ? 400 : 204).end();
    await until(start + 2 * hour);
    expect((await parked()).map(({ event }) => event.id)).toEqual([message.event.id]);
    expect(receiver.received.length).toBeLessThan(30);
  });

  it('announces the failure and the recovery to the owner', async () => {
    const { subscription, reply, until } = await openScene();
    reply.answer = accepts;
    await until(start + hour);
    const events = await outboxOf(subscription.subscriptionId);
    expect(events).toEqual(['webhook.endpoint_degraded', 'webhook.endpoint_recovered']);
  });
});

async function outboxOf(subscriptionId: string): Promise<string[]> {
  const items = [];
  for await (const item of table().mirror.read(['outbox'])) items.push(item);
  return items
    .flatMap(({ event }) => (isEvent(event) && event.entityId === subscriptionId ? [event] : []))
    .filter(({ name }) => name.startsWith('webhook.'))
    .toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1))
    .map(({ name }) => name);
}

const isEvent = (event: unknown): event is { entityId: string; name: string; occurredAt: string } =>
  typeof event === 'object' && event !== null && 'occurredAt' in event;

describe('resumeEndpoint(), after the recovery', () => {
  it('sends every parked delivery once, the oldest first', async () => {
    const { receiver, reply, until, waiting, parked, entry, health, lines } = await openScene(300);
    const before = receiver.received.length;
    reply.answer = accepts;
    await until(start + 2 * hour);

    const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(300);
    expect(ids).toHaveLength(300);
    // The probe is one of the deliveries with the fewest attempts. The deliveries of one run are sent in parallel, so
    // their sequence may differ.
    const order = waiting.map(({ event }) => event.id).toSorted();
    expect(ids.slice(1).every((id, index) => Math.abs(order.indexOf(String(id)) - index) <= 21)).toBe(true);
    expect(await parked()).toEqual([]);
    expect(await entry()).toMatchObject({ state: 'delivered' });
    const after = await health();
    expect(after).toMatchObject({ state: 'closed' });
    expect(after?.resumeAt).toBeUndefined();
    expect(lines.filter(([level]) => level !== 'info')).toEqual([]);
  });

  it('sends more slowly when the endpoint replies 429', async () => {
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
    expect(accepted.size).toBe(120);
    expect(await parked()).toEqual([]);
    expect(receiver.received.length).toBeLessThan(220);
  });

  it('loses no delivery when a run is killed', async () => {
    const { receiver, reply, until, parked, deps, time, sent, announced } = await openScene(30);
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
    // The queue delivers the message of the killed run again after its visibility timeout.
    sent.push({ to: 'endpoint', atMs: time.ms + 6 * minute, message: announced() });
    await until(time.ms + hour);
    expect(new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).size).toBe(30);
    expect(await parked()).toEqual([]);
  });

  it('continues after the next sweep when a timer was lost', async () => {
    const { receiver, reply, sent, until, deps, time } = await openScene(5);
    reply.answer = accepts;
    const before = receiver.received.length;
    sent.splice(0);
    await until(start + 2 * hour);
    expect(receiver.received).toHaveLength(before);
    await sweepEndpoints(deps);
    await until(time.ms + minute);
    expect(receiver.received.length - before).toBe(5);
  });
});

describe('resumeEndpoint(), for one failing delivery,', () => {
  it('gives up this delivery only, after 12 attempts', async () => {
    let failures = 0;
    const { deliver, newEvent, message, until, entry, health, parked } = await scene((response, _request, { body }) => {
      const isRefused = body.includes(message.event.entityId);
      if (isRefused) failures += 1;
      response.writeHead(isRefused ? 400 : 204).end();
    });
    await deliver([message]);
    for (let at = 0; at < 80 * hour; at += 4 * hour) {
      await until(start + at);
      const other = { ...message, event: newEvent() };
      await deliver([other]);
      expect(await entry(other.event.id)).toMatchObject({ state: 'delivered' });
    }
    expect(failures).toBe(12);
    expect(await entry()).toMatchObject({ state: 'failed', attempts: 12, status: 400 });
    expect(await parked()).toEqual([]);
    expect((await health())?.resumeAt).toBeUndefined();
  });
});

describe('resumeEndpoint(), at the owner’s request,', () => {
  const context = (ms: number) => ({ now: new Date(ms), nextUuid: () => newId(new Date(ms)) });

  it('sends the waiting deliveries after the endpoint was enabled again', async () => {
    const { receiver, reply, until, found, subscriptions, time, parked, resume, announced } = await openScene(5);
    await until(start + 6 * day);
    reply.answer = accepts;
    const before = receiver.received.length;
    const disabled = await found();
    const health = enabled(disabled.health ?? newHealth, new Date(time.ms));
    await subscriptions.announceWork(disabled, { health }, context(time.ms));
    await resume(announced());
    await until(time.ms + hour);
    expect(receiver.received.length - before).toBe(5);
    expect(await parked()).toEqual([]);
  });

  it.each(['closed', 'open'] as const)('sends a test event when the circuit breaker is %s', async (state) => {
    const opened = state === 'open' ? await openScene() : undefined;
    if (opened) opened.reply.answer = accepts;
    const { receiver, subscriptions, found, time, newEvent, resume, announced, health, entry, until } =
      opened ?? (await scene(accepts));
    const test = newEvent({ name: testEventName });
    const parked = { event: test, attempt: 1, parkedAt: test.occurredAt, notBefore: test.occurredAt };
    const delivery = { event: test, state: 'parked', attempts: 0, at: test.occurredAt } as const;
    const { subscriptionId, ...before } = await found();
    const writes = recordWrites(subscriptionId, { delivery, parked }).filter((write) => write.kind === 'put');
    const due = { ...(before.health ?? newHealth), resumeAt: test.occurredAt, testEventId: test.id };
    await subscriptions.announceWork({ subscriptionId, ...before }, { health: due }, { ...context(time.ms), writes });
    const requests = receiver.received.length;
    await resume(announced());
    expect(receiver.received.slice(requests).map(({ body }) => JSON.parse(body))).toContainEqual({
      ...{ event: testEventName, entity: 4, entity_id: test.entityId },
    });
    expect(await entry(test.id)).toMatchObject({ state: 'delivered', attempts: 1 });
    await until(time.ms + hour);
    expect(await health()).toMatchObject({ state: 'closed' });
    expect((await health())?.testEventId).toBeUndefined();
  });

  it('makes no further attempt for a failed test event', async () => {
    const { receiver, subscriptions, found, time, newEvent, resume, announced, health, entry, until } =
      await openScene();
    const test = newEvent({ name: testEventName });
    const parked = { event: test, attempt: 1, parkedAt: test.occurredAt, notBefore: test.occurredAt };
    const delivery = { event: test, state: 'parked', attempts: 0, at: test.occurredAt } as const;
    const before = await found();
    const writes = recordWrites(before.subscriptionId, { delivery, parked }).filter((write) => write.kind === 'put');
    const due = { ...(before.health ?? newHealth), resumeAt: test.occurredAt, testEventId: test.id };
    await subscriptions.announceWork(before, { health: due }, { ...context(time.ms), writes });
    const requests = receiver.received.length;
    await resume(announced());
    expect(receiver.received).toHaveLength(requests + 1);
    expect(await entry(test.id)).toMatchObject({ state: 'failed', attempts: 1 });
    expect(await health()).toMatchObject({ state: 'open', probes: before.health?.probes });
    await until(time.ms + hour);
    const ids = receiver.received.slice(requests).map(({ headers }) => headers['webhook-id']);
    expect(ids.filter((id) => id === test.id)).toHaveLength(1);
  });

  it('sends the deliveries of a replayed period again', async () => {
    const { receiver, deliver, message, newEvent, subscriptions, found, time, resume, announced, until, deps } =
      await scene(accepts);
    const old = Array.from({ length: 250 }, () => ({ ...message, event: newEvent() }));
    for (let from = 0; from < old.length; from += 10) await deliver(old.slice(from, from + 10));
    time.ms += hour;
    const later = { ...message, event: newEvent() };
    await deliver([later]);
    const requests = receiver.received.length;

    const subscription = await found();
    const at = new Date(time.ms).toISOString();
    const replay = {
      ...{ replayId: newId(), subscriptionId: subscription.subscriptionId, since: new Date(start).toISOString() },
      ...({ until: new Date(start + minute).toISOString(), scope: 'all', state: 'running', replayed: 0 } as const),
      ...{ createdAt: at, updatedAt: at },
    };
    const health = { ...(subscription.health ?? newHealth), resumeAt: at, replayId: replay.replayId };
    await subscriptions.announceWork(
      subscription,
      { health },
      { ...context(time.ms), writes: [newReplayWrite(replay)] },
    );
    const startedMs = time.ms;
    await resume(announced());
    await until(time.ms + hour);

    const ids = receiver.received.slice(requests).map(({ headers }) => headers['webhook-id']);
    expect(ids.toSorted()).toEqual(old.map(({ event }) => event.id).toSorted());
    expect(await deps.replays.find(subscription.subscriptionId, replay.replayId)).toMatchObject({
      ...{ state: 'done', replayed: 250 },
    });
    expect(startedMs).toBeLessThan(time.ms);
  });
});
