import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/notification/subscribe-webhook/contract.ts';
import { handler } from '../../../functions/notification/subscribe-webhook/handler.ts';
import { secretText } from '../../../shared/store/credential/credentials.ts';
import { call } from '../../support/call.ts';
import { narrowKey, provisionOrganisation } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let organisation: { id: number; apiKey: string };
beforeAll(async () => {
  world = await makeWorld();
});

const endpoint = 'https://hooks.example.com/rewards';
const subscribe = (body: unknown, apiKey = organisation.apiKey, headers = {}) =>
  call(handler, contract, { headers: { 'x-api-key': apiKey, ...headers }, body });

/** Creates an organisation without subscriptions. */
async function anOrganisation() {
  organisation = await provisionOrganisation(world.platform, { name: 'Some Shop', kind: 'MERCHANT' });
  return organisation;
}

const narrow = (...permissions: string[]) => narrowKey(world.platform, organisation.id, permissions);

describe('endpoint 13, reply 200', () => {
  it('creates a subscription and returns its salt in both notations', async () => {
    const { id } = await anOrganisation();
    const answer = await subscribe({ endpoint, event_name: 'transaction_created' });

    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 'ok',
      data: {
        subscribed: true,
        salt: expect.stringMatching(/^[0-9a-f]{64}$/),
        standard_webhooks_secret: expect.stringMatching(/^whsec_/),
        subscription_id: expect.any(String),
      },
    });
    const { salt, standard_webhooks_secret, subscription_id } = answer.body.data;
    expect(Buffer.from(standard_webhooks_secret.slice(6), 'base64').toString()).toBe(salt);
    expect(await world.platform.subscriptions.of(id)).toMatchObject([
      { subscriptionId: subscription_id, salt, endpointUrl: endpoint, eventName: 'transaction_created' },
    ]);
  });

  it('gives each kind of subscription its own salt', async () => {
    await anOrganisation();
    const salts = new Set();
    for (const selector of [
      {},
      { entity_type: 3 },
      { event_name: 'transaction_created' },
      { event_name: 'transaction_created', entity_type: 3 },
    ]) {
      const answer = await subscribe({ endpoint, ...selector });
      expect(answer.status).toBe(200);
      salts.add(answer.body.data.salt);
    }
    expect(salts.size).toBe(4);
  });

  it('stores in the subscription which events the key may read', async () => {
    const { id } = await anOrganisation();
    await subscribe({ endpoint }, await narrow('webhooks:write', 'users:read'));
    expect(await world.platform.subscriptions.of(id)).toMatchObject([{ readableEntityTypes: [1] }]);
  });

  it('accepts a loopback receiver that the configuration allows', async () => {
    await anOrganisation();
    expect((await subscribe({ endpoint: 'http://127.0.0.1:3999/hooks' })).status).toBe(200);
  });

  it('returns the same salt for the same Idempotency-Key', async () => {
    await anOrganisation();
    const headers = { 'idempotency-key': 'one' };
    const first = await subscribe({ endpoint }, organisation.apiKey, headers);
    const second = await subscribe({ endpoint }, organisation.apiKey, headers);
    expect(second.status).toBe(200);
    expect(second.body.data).toEqual(first.body.data);
  });
});

describe('endpoint 13, reply 400 subscription_already_exists', () => {
  it('is returned for a second subscription to the same events', async () => {
    const { id } = await anOrganisation();
    const first = await subscribe({ endpoint, entity_type: 2 });
    const second = await subscribe({ endpoint: 'https://other.example.com/', entity_type: 2 });

    expect(second).toMatchObject({ status: 400, body: { error: 'subscription_already_exists' } });
    expect(second.body.data).toBeUndefined();
    expect(await world.platform.subscriptions.of(id)).toMatchObject([
      { endpointUrl: endpoint, salt: first.body.data.salt },
    ]);
  });

  it('is not returned to another organisation', async () => {
    await anOrganisation();
    await subscribe({ endpoint });
    await anOrganisation();
    expect((await subscribe({ endpoint })).status).toBe(200);
  });
});

describe('endpoint 13, reply 400 invalid_subscription', () => {
  it.each<[string, unknown, string]>([
    ['an unknown event', { endpoint, event_name: 'reward_transaction_updated' }, '/event_name'],
    ['an event that is not a string', { endpoint, event_name: 3 }, '/event_name'],
    ['an empty event', { endpoint, event_name: '' }, '/event_name'],
    ['an unknown entity', { endpoint, entity_type: 6 }, '/entity_type'],
    ['the entity zero', { endpoint, entity_type: 0 }, '/entity_type'],
    ['an entity as text', { endpoint, entity_type: '3' }, '/entity_type'],
    ['an entity that is not an integer', { endpoint, entity_type: 1.5 }, '/entity_type'],
    ['an event of another entity', { endpoint, event_name: 'campaign_ended', entity_type: 3 }, '/entity_type'],
    ['no endpoint', { event_name: 'campaign_ended' }, '/endpoint'],
    ['an empty endpoint', { endpoint: '' }, '/endpoint'],
    ['an endpoint that is not a URL', { endpoint: 'hooks.example.com' }, '/endpoint'],
    ['plain http', { endpoint: 'http://hooks.example.com/' }, '/endpoint'],
    ['another port', { endpoint: 'https://hooks.example.com:22/' }, '/endpoint'],
    ['a password in the URL', { endpoint: 'https://me:secret@hooks.example.com/' }, '/endpoint'],
    ['a fragment', { endpoint: 'https://hooks.example.com/#x' }, '/endpoint'],
    ['a private address', { endpoint: 'https://10.0.0.1/' }, '/endpoint'],
    ['the metadata service', { endpoint: 'https://[::ffff:169.254.169.254]/' }, '/endpoint'],
    ['an endpoint of 2,049 characters', { endpoint: `https://e.example.com/${'a'.repeat(2027)}` }, '/endpoint'],
    ['a body that is not an object', '[]', ''],
    ['a body that is not JSON', '{', ''],
  ])('is returned with the pointer of the fault for %s', async (_, body, pointer) => {
    const { id } = await anOrganisation();
    const answer = await subscribe(body);

    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_subscription' } });
    expect(answer.body.errors).toMatchObject([{ pointer, code: expect.any(String), message: expect.any(String) }]);
    expect(await world.platform.subscriptions.of(id)).toEqual([]);
  });

  it('is returned for events that the key may not read', async () => {
    await anOrganisation();
    const key = await narrow('webhooks:write', 'users:read');
    expect(await subscribe({ endpoint, event_name: 'transaction_created' }, key)).toMatchObject({
      status: 400,
      body: { error: 'invalid_subscription' },
    });
    expect((await subscribe({ endpoint, entity_type: 1 }, key)).status).toBe(200);
  });
});

describe('endpoint 13, reply 401 unauthorized_partner', () => {
  const refused = { status: 401, body: { error: 'unauthorized_partner', request_id: expect.any(String) } };

  it.each<[string, () => string | Promise<string>]>([
    ['an unknown key', () => secretText('partnerKey', 'local', randomBytes(32))],
    ['a malformed key', () => 'rwk_local_nonsense'],
    ['a key without webhooks:write', () => narrow('users:read', 'transactions:read')],
    ['a user token', () => world.demo.members[0]?.accessToken ?? ''],
  ])('is returned for %s', async (_, key) => {
    await anOrganisation();
    expect(await subscribe({ endpoint }, await key())).toMatchObject(refused);
  });

  it('is returned for an unknown key with an invalid body', async () => {
    expect(await subscribe({ endpoint: 'nonsense' }, 'rwk_local_nonsense')).toMatchObject(refused);
  });
});
