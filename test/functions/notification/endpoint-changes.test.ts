import { describe, expect, it } from 'vitest';
import { readAll, unreadable, webhookDesks } from './webhook-desk.ts';

const openDesk = webhookDesks();
const open = { state: 'open', recent: 'FFFFF', probes: 1, resumeAt: '2126-01-01T00:00:00.000Z' } as const;
const disabled = { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'gone' } as const;

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

describe('a test event', () => {
  it.each([undefined, open, disabled])('is parked and due at once when the health is %j', async (health) => {
    const { world, ask, subscription, stored } = await openDesk(health ? { health } : {});
    const { status, body } = await ask('test-webhook');

    expect(status).toBe(200);
    const { subscriptionId } = subscription;
    const { delivery } = body.data;
    expect(delivery).toMatchObject({ event: 'webhook.test', entity: 4, entity_id: subscriptionId, state: 'parked' });
    expect((await stored())?.health).toMatchObject({
      ...{ state: health?.state ?? 'closed', testEventId: delivery.event_id, resumeAt: delivery.next_attempt_at },
    });
    expect(await world.platform.deliveries.findParked(subscriptionId, delivery.event_id)).toBeDefined();
  });

  it('is sent five times a minute, also when the requests are parallel', async () => {
    const { ask, stored, subscription, world } = await openDesk();
    const answers = [];
    for (let wave = 0; wave < 4; wave += 1) {
      answers.push(...(await Promise.all(Array.from({ length: 3 }, () => ask('test-webhook')))));
    }
    const sent = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.delivery.event_id);
    expect(sent).toHaveLength(5);
    expect(answers.filter(({ status }) => status !== 200)).toHaveLength(7);
    expect((await stored())?.testedAt).toHaveLength(5);
    const parked = sent.map((id) => world.platform.deliveries.findParked(subscription.subscriptionId, id));
    expect((await Promise.all(parked)).every(Boolean)).toBe(true);
  });

  it('is refused with 429 and the seconds until the first test is a minute ago', async () => {
    const { ask } = await openDesk({ testedAt: [70, 50, 40, 30, 20, 10].map(secondsAgo) });
    const answer = await ask('test-webhook');
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
    expect([9, 10]).toContain(Number(answer.headers['Retry-After']));
  });

  it('is sent again after a minute, also with the Idempotency-Key of a refused request', async () => {
    const { ask, stored, world } = await openDesk({ testedAt: [59, 40, 30, 20, 10].map(secondsAgo) });
    expect((await ask('test-webhook', { idempotencyKey: 'test' })).status).toBe(429);
    const before = await stored();
    if (!before) throw new Error('no subscription');
    const testedAt = [61, 40, 30, 20, 10].map(secondsAgo);
    const key = { pk: `WEBHOOK#${before.organisationId}`, sk: 'SUBSCRIPTION#*#*' };
    await world.platform.table.write({ kind: 'update', key, changes: { set: { testedAt } } });
    expect((await ask('test-webhook', { idempotencyKey: 'test' })).status).toBe(200);
    expect((await stored())?.testedAt).toHaveLength(5);
  });

  it('counts on after the URL has changed', async () => {
    const { ask, stored } = await openDesk({ testedAt: [50, 40, 30, 20, 10].map(secondsAgo) });
    const { eventName, entityType } = (await stored()) ?? {};
    const selector = { ...(eventName && { event_name: eventName }), ...(entityType && { entity_type: entityType }) };
    const body = { endpoint: 'https://other.example.com/', ...selector };
    expect((await ask('update-webhook', { body })).status).toBe(200);
    expect((await ask('test-webhook')).status).toBe(429);
  });
});

describe('enabling an endpoint', () => {
  it.each([open, disabled])('makes it receive deliveries when the health is %j', async (health) => {
    const { ask, stored } = await openDesk({ health });
    expect((await ask('enable-webhook')).body.data.subscription.state).toBe('closed');
    expect((await stored())?.health).toMatchObject({ state: 'closed', resumeAt: expect.any(String) });
    expect((await stored())?.health?.disabledReason).toBeUndefined();
  });

  it('changes nothing when the endpoint works', async () => {
    const { ask, stored, subscription } = await openDesk();
    expect((await ask('enable-webhook')).status).toBe(200);
    expect(await stored()).toEqual(subscription);
  });
});

describe('the rotation of a salt', () => {
  it('returns a new salt, active after a day', async () => {
    const { ask, stored, subscription } = await openDesk();
    const { status, body } = await ask('rotate-salt');

    expect(status).toBe(200);
    const { salt, standard_webhooks_secret: secret, activates_at: activatesAt } = body.data;
    expect(Buffer.from(secret.slice(6), 'base64').toString()).toBe(salt);
    expect(await stored()).toMatchObject({ salt: subscription.salt, nextSalt: { salt, activatesAt } });
    const inMs = Date.parse(activatesAt) - Date.now();
    expect(inMs / 3_600_000).toBeCloseTo(24, 1);
  });

  it('returns the same salt for the same Idempotency-Key', async () => {
    const { ask } = await openDesk();
    const first = await ask('rotate-salt', { idempotencyKey: 'one' });
    expect((await ask('rotate-salt', { idempotencyKey: 'one' })).body).toEqual(first.body);
  });

  it('returns 409 rotation_in_progress during another rotation, and keeps both salts', async () => {
    const { ask, stored } = await openDesk();
    await ask('rotate-salt');
    const before = await stored();
    expect(await ask('rotate-salt')).toMatchObject({ status: 409, body: { error: 'rotation_in_progress' } });
    expect(await stored()).toEqual(before);
  });

  it('gives a salt to only one of two parallel requests', async () => {
    const { ask, stored } = await openDesk();
    const answers = await Promise.all([ask('rotate-salt'), ask('rotate-salt')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const given = answers.find(({ status }) => status === 200)?.body.data.salt;
    expect((await stored())?.nextSalt?.salt).toBe(given);
  });

  it('starts again once the salt of the earlier rotation is active', async () => {
    const activatesAt = '2026-01-02T00:00:00.000Z';
    const { ask, stored } = await openDesk({ nextSalt: { salt: 'active', activatesAt } });
    const { salt } = (await ask('rotate-salt')).body.data;
    expect(await stored()).toMatchObject({ salt: 'active', nextSalt: { salt } });
  });
});

describe('the end of a rotation', () => {
  it('makes the new salt the only one', async () => {
    const { ask, stored } = await openDesk();
    const { salt } = (await ask('rotate-salt')).body.data;
    const { status, body } = await ask('commit-salt');

    expect([status, body.data.subscription.salt_activates_at]).toEqual([200, null]);
    expect(JSON.stringify(body)).not.toContain(salt);
    const after = await stored();
    expect([after?.salt, after?.nextSalt]).toEqual([salt, undefined]);
  });

  it('returns 409 no_rotation when the subscription has only one salt', async () => {
    const { ask, stored, subscription } = await openDesk();
    expect(await ask('commit-salt')).toMatchObject({ status: 409, body: { error: 'no_rotation' } });
    expect(await stored()).toEqual(subscription);
  });
});

describe('a key that may not read all events of the subscription', () => {
  it.each(['test-webhook', 'enable-webhook', 'rotate-salt', 'commit-salt'])(
    '%s returns 401 and changes nothing',
    async (name) => {
      const nextSalt = { salt: 'next', activatesAt: '2126-01-01T00:00:00.000Z' };
      const { ask, narrow, stored } = await openDesk({ health: disabled, nextSalt });
      const before = await stored();
      for (const missing of readAll) {
        const key = await narrow('webhooks:write', ...readAll.filter((permission) => permission !== missing));
        expect(await ask(name, { key })).toMatchObject(unreadable);
      }
      expect(await stored()).toEqual(before);
    },
  );
});
