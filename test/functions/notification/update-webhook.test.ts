import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/notification/update-webhook/contract.ts';
import { handler } from '../../../functions/notification/update-webhook/handler.ts';
import { call } from '../../support/call.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { aSubscription } from '../../webhooks/fixtures.ts';

let world: World;
let organisation: { id: number; apiKey: string };
beforeAll(async () => {
  world = await makeWorld();
});

const update = (body: unknown, apiKey = organisation.apiKey) =>
  call(handler, contract, { headers: { 'x-api-key': apiKey }, body });

/** Creates an organisation with a subscription to one event and one to all. */
async function subscribed() {
  organisation = await provisionOrganisation(world.platform, { name: 'Some Shop', kind: 'MERCHANT' });
  const one = aSubscription({ organisationId: organisation.id, eventName: 'campaign_ended' });
  const all = aSubscription({ organisationId: organisation.id });
  await world.platform.subscriptions.create(one);
  await world.platform.subscriptions.create(all);
  return { one, all };
}

const stored = () => world.platform.subscriptions.of(organisation.id);

describe('endpoint 14, reply 200', () => {
  it('changes only the URL, and only in the named subscription', async () => {
    const { one, all } = await subscribed();
    const answer = await update({ endpoint: 'https://new.example.com/x', event_name: 'campaign_ended' });

    expect(answer).toMatchObject({ status: 200, body: { code: 'ok', data: { subscribed: true } } });
    expect(answer.body.data).toEqual({ subscribed: true });
    const moved = { ...one, endpointUrl: 'https://new.example.com/x', updatedAt: expect.any(String), healthVersion: 1 };
    expect(await stored()).toEqual(expect.arrayContaining([moved, all]));
  });

  it.each(['', '   '])('deletes only the named subscription when the endpoint is %j', async (endpoint) => {
    const { one } = await subscribed();
    expect(await update({ endpoint })).toMatchObject({ status: 200, body: { data: { subscribed: true } } });
    expect(await stored()).toEqual([one]);
  });
});

describe('endpoint 14, reply 404 event_not_exists', () => {
  it.each([
    ['another event', { event_name: 'campaign_updated' }],
    ['an entity', { entity_type: 2 }],
    ['both the event and its entity', { event_name: 'campaign_ended', entity_type: 2 }],
  ])('is returned without a change when the body names %s', async (_, selector) => {
    await subscribed();
    const before = await stored();
    for (const endpoint of ['https://new.example.com/', '']) {
      expect(await update({ endpoint, ...selector })).toMatchObject({
        status: 404,
        body: { error: 'event_not_exists' },
      });
    }
    expect(await stored()).toEqual(before);
  });

  it('is returned for a deleted subscription', async () => {
    await subscribed();
    await update({ endpoint: '' });
    expect((await update({ endpoint: '' })).status).toBe(404);
  });

  it('is returned for a subscription of another organisation', async () => {
    await subscribed();
    const before = await stored();
    expect((await update({ endpoint: '' }, world.demo.outsider.apiKey)).status).toBe(404);
    expect(await stored()).toEqual(before);
  });
});

describe('endpoint 14, reply 400 invalid_subscription', () => {
  it.each([
    ['no endpoint', { event_name: 'campaign_ended' }, '/endpoint'],
    ['an endpoint that is not a string', { endpoint: 5 }, '/endpoint'],
    ['an endpoint that is too long', { endpoint: `https://hooks.example.com/${'x'.repeat(2048)}` }, '/endpoint'],
    ['plain http', { endpoint: 'http://hooks.example.com/' }, '/endpoint'],
    ['a private address', { endpoint: 'https://192.168.1.1/' }, '/endpoint'],
    ['an unknown event', { endpoint: '', event_name: 'nothing' }, '/event_name'],
    ['an unknown entity', { endpoint: '', entity_type: 9 }, '/entity_type'],
    ['an event of another entity', { endpoint: '', event_name: 'campaign_ended', entity_type: 1 }, '/entity_type'],
  ])('is returned with the pointer of the fault, and without a change, for %s', async (_, body, pointer) => {
    await subscribed();
    const before = await stored();
    const answer = await update(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_subscription', errors: [{ pointer }] } });
    expect(await stored()).toEqual(before);
  });
});

it.each([{}, { endpoint: null }])(
  'endpoint 14 says that the endpoint URL is required when the body is %j',
  async (body) => {
    await subscribed();
    const { message, errors } = (await update(body)).body;
    expect(message).toBe('/endpoint: is required');
    expect(errors).toEqual([{ pointer: '/endpoint', code: 'required', message: 'is required' }]);
  },
);

it('endpoint 14 returns 401 unauthorized_partner for an unknown key', async () => {
  expect(await update({ endpoint: '' }, 'rwk_local_nonsense')).toMatchObject({
    status: 401,
    body: { error: 'unauthorized_partner' },
  });
});
