import { describe, expect, it } from 'vitest';
import { readAll, unreadable, webhookDesks } from './webhook-desk.ts';

const openDesk = webhookDesks();
const open = { state: 'open', recent: 'FFFFF', probes: 1, resumeAt: '2126-01-01T00:00:00.000Z' } as const;
const disabled = { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'gone' } as const;

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
