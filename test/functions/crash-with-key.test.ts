import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { type AnyContract, isIdempotent } from '../../shared/contracts/contract.ts';
import { type Partition, partitions } from '../../shared/contracts/table.ts';
import { partitionOf, scan } from '../../tools/admin/reconcile/read-books.ts';
import { Faults } from '../../tools/local/dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../tools/local/dynamodb/proxy.ts';
import { type Answer, call, type Request } from '../support/call.ts';
import { anOrderBody, orderOf, postOrder } from '../support/order-story.ts';
import { provisionOrganisation } from '../support/provision.ts';
import { expireLocks } from '../support/test-table.ts';
import { makeWorld, type World } from '../support/world.ts';

/**
 * Ends a request before and after each of its DynamoDB calls, and repeats it with its `Idempotency-Key`: the repetition
 * succeeds, and both together write what an undisturbed request writes.
 */

const faults = new Faults(1);
let world: World;
let proxy: DynamoDbProxy;

beforeAll(async () => {
  world = await makeWorld();
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, faults });
  // The handlers' clients are made with their first call.
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, AWS_MAX_ATTEMPTS: '1' });
});
afterAll(() => proxy.stop());

const endpointUrl = 'https://hooks.example.com/rewards';
const contractOf = (name: string) => contracts.find((contract) => contract.name === name) as AnyContract;

/** Sends a request to a handler of this process. */
async function send(name: string, request: Request): Promise<Answer> {
  const contract = contractOf(name);
  const { handler } = await import(`../../functions/${contract.host}/${name}/handler.ts`);
  return call(handler, contract, request);
}

const asMerchant = (request: Request): Request => withHeader(request, 'x-api-key', world.demo.merchant.apiKey);
const asMember = (request: Request): Request =>
  withHeader(request, 'x-api-key', world.demo.members[0]?.accessToken ?? '');
const asNewcomer = async (request: Request): Promise<Request> => {
  const { apiKey } = await provisionOrganisation(world.platform, { name: 'Newcomer', kind: 'MERCHANT' });
  return withHeader(request, 'x-api-key', apiKey);
};

function withHeader(request: Request, name: string, value: string): Request {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

const aPurchase = (campaign: 'earn' | 'redeem'): Request => ({
  body: { transaction_amount: 10, external_transaction_id: randomUUID(), campaign_id: world.demo.campaigns[campaign] },
});

async function aCreation(): Promise<Request> {
  const { body } = await send('authenticate-transaction', asMember(aPurchase('redeem')));
  return asMember({ body: { reward_authentication_token: body.data.authentication_id } });
}

/** Requests of every endpoint that honours the key. Each call returns a new request of the same kind. */
const requests: Readonly<Record<string, () => Request | Promise<Request>>> = {
  'authenticate-transaction': () => asMember(aPurchase('redeem')),
  'create-transaction': () => aCreation(),
  'send-trigger': () => {
    const { partnership, trigger, members } = world.demo;
    const body = { trigger_name: trigger.name, user_uuid: members[0]?.uuid, transaction_context: trigger.context };
    return asMerchant({ params: { id: partnership.uuid }, body });
  },
  'create-order': () => asMerchant({ body: anOrderBody() }),
  'refund-order': async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    return asMerchant({ params: { order_id: order.uuid }, body: { refund_external_id: 'r', amount: 100 } });
  },
  'refund-transaction': async () => {
    const { body } = await send('create-transaction', await aCreation());
    const params = { reward_transaction_id: String(body.data.reward_transactions[0].id) };
    return asMerchant({ params, body: { refund_external_id: 'r', amount: 100 } });
  },
  'create-connect-token': () => asMerchant({ body: { user: { external_id: randomUUID() } } }),
  'issue-token': () => asMerchant({ body: 'grant_type=client_credentials' }),
  'revoke-token': async () => {
    const { body } = await send('issue-token', asMerchant({ body: 'grant_type=client_credentials' }));
    return asMerchant({ body: `token=${body.access_token}` });
  },
  'subscribe-webhook': () => asNewcomer({ body: { endpoint: endpointUrl, event_name: 'campaign_ended' } }),
  'update-webhook': async () => {
    const request = await asNewcomer({ body: { endpoint: endpointUrl } });
    await send('subscribe-webhook', request);
    return withBody(request, { endpoint: '' });
  },
};

const withBody = (request: Request, body: unknown): Request => ({ ...request, body });
const withKey = async (name: string): Promise<Request> =>
  withHeader((await requests[name]?.()) ?? {}, 'Idempotency-Key', randomUUID());

/** The names of the endpoints above. A simulation writes nothing. */
const named = contracts.filter(isIdempotent).map(({ name }) => name);
const working = named.filter((name) => name !== 'simulate-campaigns');

it('every endpoint that honours the key has a request here', () => {
  expect(working.toSorted()).toEqual(Object.keys(requests).sort());
});

const everything = Object.keys(partitions) as Partition[];

/** Counts the items of the table by kind. */
async function countItems(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const item of scan(world.table, everything)) {
    const kind = `${partitionOf(item)} ${item.sk.split('#')[0]}`;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Returns what `work` adds to the table, by kind of item. */
async function added(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countItems();
  await work();
  const changes = Object.entries(await countItems()).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

/** Sends a request whose worker dies before or after its nth call: later calls do not reach DynamoDB. Returns whether it died. */
async function dies(name: string, request: Request, when: 'before' | 'after', nth: number): Promise<boolean> {
  const last = when === 'after' ? faults.add({ fault: 'killAfter', nth }) : undefined;
  const lost = faults.add({ fault: 'killBefore', from: nth });
  const answer = await send(name, request);
  faults.clear();
  const isDead = lost.hits > 0 || (last?.hits ?? 0) > 0;
  if (!isDead) expect(answer.status).toBe(200);
  return isDead;
}

describe.each(working)('%s', (name) => {
  it.each(['before', 'after'] as const)(
    'has one effect and one reply when the worker dies %s any call',
    async (when) => {
      const undisturbed = await withKey(name);
      const usual = await added(() => send(name, undisturbed));

      let deaths = 0;
      for (let nth = 1, dead = true; dead; nth += 1) {
        const request = await withKey(name);
        const answers: Answer[] = [];
        let done = {};
        const effect = await added(async () => {
          done = await added(async () => {
            dead = await dies(name, request, when, nth);
          });
          await expireLocks(world.table);
          answers.push(await send(name, request), await send(name, request));
        });

        const [first, second] = answers;
        expect(first?.status, `after call ${nth}`).toBe(200);
        expect([second?.status, second?.headers['Idempotent-Replayed'], second?.body]).toEqual([
          200,
          'true',
          first?.body,
        ]);
        expect(effect, `after call ${nth}`).toEqual(usual);
        // Work that was done is never done again. A revocation adds nothing that shows that it was done.
        const isDone = name !== 'revoke-token' && isDeepStrictEqual(done, usual);
        if (isDone) expect(first?.headers, `after call ${nth}`).toMatchObject({ 'Idempotent-Replayed': 'true' });
        if (dead) deaths += 1;
      }
      expect(deaths).toBeGreaterThanOrEqual(2);
    },
  );
});

it('an update that broke off after its write does not undo a later one when it is repeated', async () => {
  const request = await asNewcomer({ body: { endpoint: endpointUrl } });
  await send('subscribe-webhook', request);
  const moveTo = (url: string) => withBody(request, { endpoint: url });
  const broken = withHeader(moveTo('https://hooks.example.com/first'), 'Idempotency-Key', randomUUID());

  expect(await dies('update-webhook', broken, 'after', 2)).toBe(true);
  await expireLocks(world.table);
  await send('update-webhook', moveTo('https://hooks.example.com/second'));

  expect((await send('update-webhook', broken)).status).toBe(200);
  const urls: unknown[] = [];
  for await (const item of scan(world.table, ['organisation'])) {
    if (String(item.endpointUrl).startsWith('https://hooks.example.com/')) urls.push(item.endpointUrl);
  }
  expect(urls).toContain('https://hooks.example.com/second');
  expect(urls).not.toContain('https://hooks.example.com/first');
});
