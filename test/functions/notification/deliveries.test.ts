import { describe, expect, it } from 'vitest';
import { outboxEvents } from '../../support/outbox.ts';
import { storedDelivery } from '../../support/webhook-story.ts';
import { anEvent, newId } from '../../webhooks/fixtures.ts';
import { type Desk, readAll, unreadable, webhookDesks } from './webhook-desk.ts';

const openDesk = webhookDesks();

/** A subscription with one delivery for each second from noon on. The ids are sorted, the oldest first. */
async function withDeliveries(count: number, stateOf: (index: number) => 'delivered' | 'failed' = () => 'delivered') {
  const desk = await openDesk();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const occurredAt = new Date(Date.parse('2026-03-01T12:00:00.000Z') + index * 1000);
    const event = anEvent({ id: newId(occurredAt), occurredAt: occurredAt.toISOString() });
    const name = index % 2 === 0 ? 'campaign_ended' : 'transaction_created';
    await storedDelivery(desk.world, desk.subscription, { event: { ...event, name }, state: stateOf(index) });
    ids.push(event.id);
  }
  return { desk, ids };
}

async function listed({ ask }: Desk, query: Record<string, string> = {}) {
  const { status, body } = await ask('list-deliveries', { query });
  const deliveries: { event_id: string }[] = body.data?.deliveries ?? [];
  return { status, ids: deliveries.map(({ event_id }) => event_id), cursor: body.cursor };
}

describe('the list of deliveries', () => {
  it('has pages in both directions, the latest event first', async () => {
    const { desk, ids } = await withDeliveries(5);
    const latest = ids.toReversed();

    const first = await listed(desk, { limit: '2' });
    expect([first.ids, first.cursor.prev]).toEqual([latest.slice(0, 2), null]);
    const second = await listed(desk, { limit: '2', cursor: first.cursor.next });
    expect(second.ids).toEqual(latest.slice(2, 4));
    const third = await listed(desk, { limit: '2', cursor: second.cursor.next });
    expect([third.ids, third.cursor.next]).toEqual([latest.slice(4), null]);
    expect((await listed(desk, { limit: '2', cursor: third.cursor.prev })).ids).toEqual(latest.slice(2, 4));
    const back = await listed(desk, { limit: '2', cursor: second.cursor.prev });
    expect([back.ids, back.cursor.prev]).toEqual([latest.slice(0, 2), null]);
  });

  it('filters by state and by event, and each page is full', async () => {
    const { desk, ids } = await withDeliveries(8, (index) => (index % 4 === 0 ? 'failed' : 'delivered'));
    expect((await listed(desk, { state: 'failed' })).ids).toEqual([ids[4], ids[0]]);
    expect((await listed(desk, { state: 'failed', event_name: 'transaction_created' })).ids).toEqual([]);

    const even = [ids[6], ids[4], ids[2], ids[0]];
    const first = await listed(desk, { event_name: 'campaign_ended', limit: '3' });
    expect(first.ids).toEqual(even.slice(0, 3));
    const second = await listed(desk, { event_name: 'campaign_ended', limit: '3', cursor: first.cursor.next });
    expect([second.ids, second.cursor.next]).toEqual([even.slice(3), null]);
    const back = await listed(desk, { event_name: 'campaign_ended', limit: '3', cursor: second.cursor.prev });
    expect([back.ids, back.cursor.prev]).toEqual([even.slice(0, 3), null]);
  });

  it('filters by time: at or after `since`, and before `until`', async () => {
    const { desk, ids } = await withDeliveries(5);
    const period = { since: '2026-03-01T13:00:01.000+01:00', until: '2026-03-01T12:00:04.000Z' };
    expect((await listed(desk, period)).ids).toEqual([ids[3], ids[2], ids[1]]);

    const first = await listed(desk, { ...period, limit: '2' });
    const second = await listed(desk, { ...period, limit: '2', cursor: first.cursor.next });
    expect([second.ids, second.cursor.next]).toEqual([[ids[1]], null]);
    const back = await listed(desk, { ...period, limit: '2', cursor: second.cursor.prev });
    expect([back.ids, back.cursor.prev]).toEqual([first.ids, null]);
  });

  it('continues on the next page when none of 1,000 deliveries matches the filter', async () => {
    const { world, ask, subscription } = await openDesk();
    const at = '2026-03-01T12:00:00.000Z';
    const aged = (ageMs: number, state: 'failed' | 'delivered') => {
      const event = anEvent({ id: newId(new Date(Date.parse(at) - ageMs)) });
      return { delivery: { event, state, attempts: 1, at } };
    };
    const oldest = aged(1_001, 'failed');
    const others = Array.from({ length: 1_000 }, (_, ageMs) => aged(ageMs, 'delivered'));
    await world.platform.deliveries.record(subscription.subscriptionId, oldest, ...others);

    const first = (await ask('list-deliveries', { query: { state: 'failed' } })).body;
    expect(first.data.deliveries).toEqual([]);
    const query = { state: 'failed', cursor: first.cursor.next };
    const second = (await ask('list-deliveries', { query })).body;
    expect(second.data.deliveries).toMatchObject([{ event_id: oldest.delivery.event.id }]);
    expect(second.cursor.next).toBeNull();

    const body = { since: '2026-01-01T00:00:00Z', state: 'all', dry_run: true };
    const { estimate } = (await ask('start-replay', { body })).body.data;
    expect(estimate).toEqual({ deliveries: 1_000, has_more: true });
  });

  it.each([
    [
      'a cursor of another filter',
      async (desk: Desk) => ({ cursor: (await listed(desk, { limit: '2' })).cursor.next }),
    ],
    ['an unknown state', async () => ({ state: 'lost' })],
    ['an unknown event', async () => ({ event_name: 'lost' })],
    ['a time without an offset', async () => ({ since: '2026-03-01T12:00:00' })],
    ['a limit of 101', async () => ({ limit: '101' })],
  ])('returns 400 invalid_request for %s', async (_, queryOf) => {
    const { desk } = await withDeliveries(3);
    const query: Record<string, string> = await queryOf(desk);
    expect(await desk.ask('list-deliveries', { query })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });
});

describe('a delivery', () => {
  it('is shown with each failed attempt, and then the success', async () => {
    const { world, ask, subscription } = await openDesk();
    const { event } = await storedDelivery(world, subscription, { state: 'retrying', attempts: 1 });
    const done = { state: 'delivered', attempts: 2, status: 204, totalMs: 8, address: '203.0.113.7' } as const;
    await storedDelivery(world, subscription, { event, ...done });

    const { status, body } = await ask('get-delivery', { params: { event_id: event.id } });

    expect(status).toBe(200);
    expect(body.data.delivery).toMatchObject({ event_id: event.id, state: 'delivered', attempts_made: 2 });
    expect(body.data.attempts).toMatchObject([
      { attempt: 1, result: 'failed', response_status: 503, error_class: 'server_error', response_excerpt: 'no' },
      { attempt: 2, result: 'delivered', response_status: 204, error_class: null, total_ms: 8 },
    ]);
  });
});

describe('the replay of a delivery', () => {
  it('parks the delivery with 0 attempts', async () => {
    const { world, ask, subscription, stored } = await openDesk();
    const { event } = await storedDelivery(world, subscription);

    const { status, body } = await ask('replay-delivery', { params: { event_id: event.id } });

    expect([status, body.data.delivery]).toMatchObject([
      200,
      { state: 'parked', attempts_made: 0, event_id: event.id },
    ]);
    const { deliveries } = world.platform;
    expect(await deliveries.findParked(subscription.subscriptionId, event.id)).toMatchObject({ event, attempt: 1 });
    expect((await stored())?.health?.resumeAt).toBe(body.data.delivery.next_attempt_at);
    const due = (await outboxEvents(world)).filter(({ entityId }) => entityId === subscription.subscriptionId);
    expect(due).toMatchObject([{ name: 'endpoint_due' }]);
  });

  it('happens once for one Idempotency-Key', async () => {
    const { world, ask, subscription } = await openDesk();
    const { event } = await storedDelivery(world, subscription);
    const request = { params: { event_id: event.id }, idempotencyKey: 'once' };
    const first = await ask('replay-delivery', request);
    const second = await ask('replay-delivery', request);

    expect([second.headers['Idempotent-Replayed'], second.body]).toEqual(['true', first.body]);
    const due = (await outboxEvents(world)).filter(({ entityId }) => entityId === subscription.subscriptionId);
    expect(due).toHaveLength(1);
  });

  it.each([
    ['failing (open)', { state: 'open', recent: 'FFFFF', probes: 1, resumeAt: '2026-03-01T12:30:00.000Z' }],
    ['disabled', { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'gone' }],
  ] as const)('parks the delivery, and the endpoint stays %s', async (_, health) => {
    const { world, ask, subscription, stored } = await openDesk({ health });
    const { event } = await storedDelivery(world, subscription);
    expect((await ask('replay-delivery', { params: { event_id: event.id } })).status).toBe(200);

    expect((await stored())?.health).toEqual(health);
    expect(await world.platform.deliveries.findParked(subscription.subscriptionId, event.id)).toBeDefined();
  });
});

describe('a key that may not read every event of a subscription', () => {
  it.each(['list-deliveries', 'get-delivery', 'replay-delivery'])(
    'gets 401 unauthorized_partner from %s',
    async (name) => {
      const { world, ask, narrow, subscription, stored } = await openDesk();
      const { event } = await storedDelivery(world, subscription);
      const before = await stored();
      const key = await narrow('webhooks:write', ...readAll.filter((permission) => permission !== 'users:read'));
      expect(await ask(name, { key, params: { event_id: event.id } })).toMatchObject(unreadable);
      expect(await stored()).toEqual(before);
    },
  );
});

it('list-deliveries returns the deliveries to a key that may read every event of the subscription', async () => {
  const { ask, narrow } = await openDesk({ entityType: 1 });
  expect((await ask('list-deliveries', { key: await narrow('webhooks:read', 'users:read') })).status).toBe(200);
});
