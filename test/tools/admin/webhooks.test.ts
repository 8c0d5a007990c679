import { describe, expect, it } from 'vitest';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { storedDelivery, storedSubscription } from '../../support/webhook-story.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

/** A subscription of a new organisation, and commands about it. */
async function aDesk(parts: Partial<Subscription> = {}) {
  const { id } = await provisionOrganisation(world.platform, { name: `Shop ${crypto.randomUUID()}`, kind: 'MERCHANT' });
  const subscription = await storedSubscription(world, id, parts);
  const about = (command: string, ...more: string[]) =>
    ['webhook', command, String(id), subscription.subscriptionId, ...more] as const;
  return {
    ...{ id, subscription },
    script: (command: string, ...more: string[]) => admin.script(...about(command, ...more)),
    read: (command: string, ...more: string[]) => admin.read(...about(command, ...more)),
    person: (answer: string, command: string) => admin.person(() => answer, ...about(command)),
    stored: () => world.platform.subscriptions.findById(id, subscription.subscriptionId),
    lastAudit: async () => (await admin.script('audit list')).json.entries[0],
  };
}

const disabled = { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'gone' } as const;

describe('the command webhook', () => {
  it('`list` shows the state of each endpoint and no salt', async () => {
    const { id, subscription } = await aDesk({ health: disabled });
    const { out } = await admin.read(`webhook list ${id}`);
    expect(out).toMatch(new RegExp(`${subscription.subscriptionId} .* disabled +https://hooks.example.com`));
    expect(out).not.toContain(subscription.salt);
  });

  it('`list` says that an organisation has no subscriptions', async () => {
    const { id } = await provisionOrganisation(world.platform, { name: 'No Hooks', kind: 'MERCHANT' });
    expect((await admin.read(`webhook list ${id}`)).out).toBe(`organisation ${id} (No Hooks) has no subscriptions.\n`);
  });

  it.each([
    ['an endpoint that works', {}, 0],
    ['a disabled endpoint', { health: disabled }, 1],
  ] as const)('`show` ends with status $2 for $0, like a health check', async (_, parts, expected) => {
    const { script, subscription } = await aDesk(parts);
    await storedDelivery(world, subscription, { state: 'parked', attempts: 0 });
    const { status, json } = await script('show');
    expect([status, json.health.state, json.health.backlog.deliveries]).toEqual([
      expected,
      'health' in parts ? 'disabled' : 'closed',
      1,
    ]);
  });

  it('`deliveries` filters the log, and `delivery` shows each failed attempt', async () => {
    const { script, read, subscription } = await aDesk();
    await storedDelivery(world, subscription, { state: 'delivered' });
    const { event } = await storedDelivery(world, subscription);

    const { json } = await script('deliveries', '--state', 'failed', '--since', '2026-01-01T00:00:00Z');
    expect(json.deliveries.map(({ event_id }: { event_id: string }) => event_id)).toEqual([event.id]);
    const { out } = await read('delivery', event.id);
    expect(out).toMatch(/Failed attempts[\s\S]* 503 +server_error +12\.5 ms/);
  });

  it('`replay` parks a delivery again, with an audit entry', async () => {
    const { script, subscription, lastAudit } = await aDesk();
    const { event } = await storedDelivery(world, subscription);
    const { status, json } = await script('replay', event.id);

    expect([status, json.delivery.state]).toEqual([0, 'parked']);
    const what = `replays the event ${event.id} (transaction_created) to subscription ${subscription.subscriptionId}`;
    expect(await lastAudit()).toMatchObject({ command: 'webhook replay', what });
  });

  it('`replay-since` starts one replay at a time; with --dry-run it only counts deliveries', async () => {
    const { script, read, subscription } = await aDesk();
    await storedDelivery(world, subscription);
    await storedDelivery(world, subscription, { state: 'delivered' });
    const since = '2026-01-01T00:00:00Z';

    expect((await script('replay-since', since, '--dry-run')).json).toEqual({ deliveries: 1, hasMore: false });
    expect((await script('replay-since', since, '--all', '--dry-run')).json).toEqual({ deliveries: 2, hasMore: false });
    expect((await script('replay-since', since)).json.replay).toMatchObject({ state: 'running' });
    const second = await read('replay-since', since);
    expect([second.status, second.err]).toEqual([1, expect.stringContaining('a replay of this subscription is in')]);
  });

  it('`test` sends a test event, even to a disabled endpoint', async () => {
    const { script, stored, lastAudit, subscription } = await aDesk({ health: disabled });
    const { json } = await script('test');
    expect((await stored())?.health?.testEventId).toBe(json.delivery.event_id);
    expect((await lastAudit()).what).toBe(`sends a test event to subscription ${subscription.subscriptionId}`);
  });

  it('`enable` lets a disabled endpoint receive deliveries again', async () => {
    const { script, stored, lastAudit } = await aDesk({ health: disabled });
    expect((await script('enable')).json.subscription.state).toBe('closed');
    expect((await stored())?.health?.state).toBe('closed');
    expect((await lastAudit()).command).toBe('webhook enable');
  });

  it('`rotate-salt` shows the new salt once. `commit-salt` ends the rotation', async () => {
    const { script, read, person, stored } = await aDesk();
    const { json } = await script('rotate-salt');
    expect((await stored())?.nextSalt?.salt).toBe(json.salt);
    expect((await read('rotate-salt')).err).toContain('end it with webhook commit-salt');

    const refused = await person('n', 'commit-salt');
    expect([refused.status, (await stored())?.nextSalt?.salt]).toEqual([1, json.salt]);
    expect((await person('y', 'commit-salt')).status).toBe(0);
    expect(await stored()).toMatchObject({ salt: json.salt });
    expect((await read('commit-salt')).status).toBe(1);
    const shown = [(await read('show')).out, (await admin.read('audit list')).out].join('\n');
    expect(shown).toContain('begins to replace the salt');
    expect(shown).not.toContain(json.salt);
  });

  it.each([
    ['show', /no subscription with this id; webhook list shows its subscriptions/],
    ['test', /no subscription with this id/],
  ])('`%s` says what to do when the subscription does not exist', async (command, message) => {
    const { status, err } = await admin.script(`webhook ${command} 1 0190163d-8694-739b-aea5-966c26f8ad91`);
    expect([status, err]).toEqual([1, expect.stringMatching(message)]);
  });

  it('`delivery` refers to `deliveries` for an unknown event', async () => {
    const { read } = await aDesk();
    expect((await read('delivery', 'nonsense')).err).toMatch(/webhook deliveries lists them/);
  });

  it.each([
    ['deliveries', ['--state', 'lost'], /Allowed choices are delivered/],
    ['deliveries', ['--since', 'yesterday'], /a time with its offset/],
    ['replay-since', ['2026-11-20'], /a time with its offset/],
  ])('`%s` reports wrong usage for %j', async (command, more, message) => {
    const { read } = await aDesk();
    const { status, err } = await read(command, ...more);
    expect([status, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
