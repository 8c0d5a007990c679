import { describe, expect, it } from 'vitest';
import { storedDelivery } from '../../support/webhook-story.ts';
import { readAll, unreadable, webhookDesks } from './webhook-desk.ts';

const openDesk = webhookDesks();
const since = '2026-01-01T00:00:00Z';

describe('a replay since a time', () => {
  it('is stored, and shown with its progress', async () => {
    const { ask, stored } = await openDesk();
    const { status, body } = await ask('start-replay', { body: { since, state: 'undelivered' } });

    expect([status, body.data.estimate]).toEqual([200, null]);
    const { replay } = body.data;
    expect(replay).toMatchObject({ state: 'running', selection: 'undelivered', replayed_deliveries: 0 });
    expect((await stored())?.health).toMatchObject({ replayId: replay.replay_id, resumeAt: replay.created_date });
    const shown = await ask('get-replay', { params: { replay_id: replay.replay_id } });
    expect(shown.body.data.replay).toEqual(replay);
  });

  it('has its creation date as its end when a later end is requested', async () => {
    const { ask } = await openDesk();
    const body = { since, until: '2126-01-01T00:00:00Z', state: 'all' };
    const { replay } = (await ask('start-replay', { body })).body.data;
    expect(replay.until).toBe(replay.created_date);
  });

  it('returns 409 replay_in_progress while the endpoint has a replay', async () => {
    const { ask, stored } = await openDesk();
    await ask('start-replay', { body: { since, state: 'all' } });
    const before = await stored();
    expect(await ask('start-replay', { body: { since, state: 'all' } })).toMatchObject({
      status: 409,
      body: { error: 'replay_in_progress' },
    });
    expect(await stored()).toEqual(before);
  });

  it('starts once when two requests come at the same time', async () => {
    const { ask } = await openDesk();
    const answers = await Promise.all([1, 2].map(() => ask('start-replay', { body: { since, state: 'all' } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('waits while the endpoint is disabled', async () => {
    const health = { state: 'disabled', recent: 'F', probes: 9, disabledReason: 'gone' } as const;
    const { ask, stored } = await openDesk({ health });
    const { replay } = (await ask('start-replay', { body: { since, state: 'all' } })).body.data;
    expect((await stored())?.health).toEqual({ ...health, replayId: replay.replay_id });
  });

  it('goes on when the subscription moves to another URL', async () => {
    const { ask, stored } = await openDesk();
    const { replay } = (await ask('start-replay', { body: { since, state: 'all' } })).body.data;
    await ask('update-webhook', { body: { endpoint: 'https://hooks.example.com/moved' } });
    expect((await stored())?.health?.replayId).toBe(replay.replay_id);
  });

  it.each([
    ['a period without time', { since: '2026-02-01T00:00:00Z', until: '2026-02-01T00:00:00Z', state: 'all' }, '/until'],
    ['a future start', { since: '2126-01-01T00:00:00Z', state: 'all' }, '/since'],
    ['no start', { state: 'all' }, '/since'],
    ['an unknown state', { since, state: 'delivered' }, '/state'],
  ])('returns 400 invalid_request for %s', async (_, body, pointer) => {
    const { ask } = await openDesk();
    expect(await ask('start-replay', { body })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', errors: [{ pointer }] },
    });
  });

  it('returns 401 to a key that may not read events', async () => {
    const { ask, narrow } = await openDesk();
    const key = await narrow('webhooks:write', ...readAll.slice(1));
    expect(await ask('start-replay', { key, body: { since, state: 'all' } })).toMatchObject(unreadable);
  });
});

describe('a dry run', () => {
  it('counts the deliveries that the replay would send, and changes nothing', async () => {
    const { world, ask, subscription, stored } = await openDesk();
    for (const state of ['failed', 'delivered', 'delivered', 'parked', 'retrying'] as const) {
      await storedDelivery(world, subscription, { state });
    }
    const estimate = async (state: string) =>
      (await ask('start-replay', { body: { since, state, dry_run: true } })).body.data;

    expect(await estimate('undelivered')).toEqual({ replay: null, estimate: { deliveries: 1, has_more: false } });
    expect(await estimate('all')).toEqual({ replay: null, estimate: { deliveries: 3, has_more: false } });
    expect(await stored()).toEqual(subscription);
  });
});
