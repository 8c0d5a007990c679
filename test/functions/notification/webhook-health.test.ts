import { describe, expect, it } from 'vitest';
import { storedDelivery, storedSubscription } from '../../support/webhook-story.ts';
import { anEvent } from '../../webhooks/fixtures.ts';
import { webhookDesks } from './webhook-desk.ts';

const openDesk = webhookDesks();

describe('the list of subscriptions', () => {
  it('contains the state of each endpoint, but no salt', async () => {
    const open = { state: 'open', recent: 'FFFFF', probes: 1 } as const;
    const { world, id, ask, subscription } = await openDesk({ createdAt: '2026-02-01T00:00:00.000Z' });
    const older = await storedSubscription(world, id, { eventName: 'campaign_ended', health: open });

    const { status, body } = await ask('list-webhooks');

    expect(status).toBe(200);
    expect(body.data.subscriptions).toMatchObject([
      { subscription_id: older.subscriptionId, event_name: 'campaign_ended', entity_type: null, state: 'open' },
      { subscription_id: subscription.subscriptionId, event_name: null, state: 'closed' },
    ]);
    expect(JSON.stringify(body)).not.toContain(subscription.salt);
  });

  it('is refused to a key without webhooks:read', async () => {
    const { ask, narrow } = await openDesk();
    expect(await ask('list-webhooks', { key: await narrow('webhooks:write') })).toMatchObject({
      status: 401,
      body: { error: 'unauthorized_partner' },
    });
  });
});

describe('the health of an endpoint', () => {
  it('is empty before the first delivery', async () => {
    const { ask } = await openDesk();
    expect((await ask('get-webhook')).body.data.health).toEqual({
      ...{ state: 'closed', disabled_reason: null, failing_since: null, next_attempt_at: null, lane: 'slow' },
      ...{ attempted_deliveries: 0, success_rate: null, p50_ms: null, p95_ms: null, replay_id: null },
      backlog: { deliveries: 0, has_more: false, oldest_event_at: null },
    });
  });

  it('shows the results of recent deliveries and the waiting deliveries', async () => {
    const failingSince = '2026-03-01T12:00:00.000Z';
    const resumeAt = '2026-03-01T12:30:00.000Z';
    const { world, ask, subscription } = await openDesk({
      health: { state: 'open', recent: 'SSFFFFF', probes: 2, failingSince, resumeAt },
    });
    for (const totalMs of [10, 20, 30]) await storedDelivery(world, subscription, { state: 'delivered', totalMs });
    await storedDelivery(world, subscription, { totalMs: 5_000, errorClass: 'timeout' });
    const waiting = anEvent({ occurredAt: '2026-03-01T11:00:00.000Z' });
    await storedDelivery(world, subscription, { event: waiting, state: 'parked', attempts: 0 });

    expect((await ask('get-webhook')).body.data.health).toMatchObject({
      ...{ state: 'open', failing_since: failingSince, next_attempt_at: resumeAt, lane: 'slow' },
      ...{ attempted_deliveries: 4, success_rate: 0.75, p50_ms: 20, p95_ms: 5_000 },
      backlog: { deliveries: 1, has_more: false, oldest_event_at: waiting.occurredAt },
    });
  });

  it('counts at most 100 waiting deliveries', async () => {
    const { world, ask, subscription } = await openDesk();
    const at = new Date().toISOString();
    // Ids with the same last digit are in one partition.
    const records = Array.from({ length: 101 }, (_, index) => {
      const id = `0198c1f0-5d7a-7c3e-9b1f-${String(index).padStart(11, '0')}0`;
      const event = anEvent({ id });
      const delivery = { event, state: 'parked', attempts: 0, at } as const;
      return { delivery, parked: { event, attempt: 1, parkedAt: at, notBefore: at } };
    });
    await world.platform.deliveries.record(subscription.subscriptionId, ...records);

    expect((await ask('get-webhook')).body.data.health.backlog).toMatchObject({ deliveries: 100, has_more: true });
  });

  it('is shown to a key that may not read events', async () => {
    const { ask, narrow } = await openDesk();
    expect((await ask('get-webhook', { key: await narrow('webhooks:read') })).status).toBe(200);
  });

  it('shows when the next salt begins, but no salt', async () => {
    const activatesAt = '2126-01-01T00:00:00.000Z';
    const { ask, subscription } = await openDesk({ nextSalt: { salt: 'the-next-salt', activatesAt } });
    const { body } = await ask('get-webhook');
    expect(body.data.subscription.salt_activates_at).toBe(activatesAt);
    expect(JSON.stringify(body)).not.toMatch(new RegExp(`the-next-salt|${subscription.salt}`));
  });
});
