import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { isIdempotent } from '../../shared/contracts/contract.ts';
import { Faults } from '../../tools/local/dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../tools/local/dynamodb/proxy.ts';
import type { Answer, Request } from '../support/call.ts';
import { asNewcomer, endpointOf, endpointUrl, requestsTo, send, withHeader } from '../support/endpoint-requests.ts';
import { expireLocks, itemsAdded } from '../support/test-table.ts';
import { makeWorld, type World } from '../support/world.ts';

/**
 * Ends a request after each of its DynamoDB calls, and repeats it with its `Idempotency-Key`: the repetition succeeds, and
 * both together write what an undisturbed request writes.
 */

const faults = new Faults(1);
let world: World;
let proxy: DynamoDbProxy;

beforeAll(async () => {
  world = await makeWorld({ isServed: true });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, faults });
  // A handler makes its clients at its first call, which comes after this line.
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, AWS_MAX_ATTEMPTS: '1' });
});
afterAll(() => proxy.stop());

const withKey = async (endpoint: string): Promise<Request> =>
  withHeader((await requestsTo(world)[endpoint]?.()) ?? {}, 'Idempotency-Key', randomUUID());

/** Endpoints that honour the key. `others` are left out: they write nothing, or revoke the request's credential. */
const endpoints = contracts.filter(isIdempotent).map(endpointOf);
const others = ['campaign/simulate-campaigns', 'user/unlink-own-account'];
const working = endpoints.filter((endpoint) => !others.includes(endpoint));

/** Endpoints that change items but add none: the number of added items does not show whether a request was executed. */
const addingNothing = [
  'base/update-attributes',
  'base/revoke-token',
  'notification/rotate-salt',
  'notification/commit-salt',
];

/**
 * Sends a request whose worker dies after its nth DynamoDB call, which is before the next one. Returns false when it made
 * fewer calls.
 */
async function dies(endpoint: string, request: Request, nth: number): Promise<boolean> {
  const last = faults.add({ fault: 'killAfter', nth });
  faults.add({ fault: 'killBefore', from: nth });
  const answer = await send(endpoint, request);
  faults.clear();
  const isDead = last.hits > 0;
  if (!isDead) expect(answer.status).toBe(200);
  return isDead;
}

describe.each(working)('%s', (endpoint) => {
  it('has one effect and one reply when the worker dies after any of its DynamoDB calls', async () => {
    const undisturbed = await withKey(endpoint);
    const usual = await itemsAdded(world.table, () => send(endpoint, undisturbed));

    let deaths = 0;
    for (let nth = 1, dead = true; dead; nth += 1) {
      const request = await withKey(endpoint);
      const answers: Answer[] = [];
      let done = {};
      const effect = await itemsAdded(world.table, async () => {
        done = await itemsAdded(world.table, async () => {
          dead = await dies(endpoint, request, nth);
        });
        await expireLocks(world.table);
        answers.push(await send(endpoint, request), await send(endpoint, request));
      });

      const [first, second] = answers;
      expect(first?.status, `after call ${nth}`).toBe(200);
      expect([second?.status, second?.headers['Idempotent-Replayed'], second?.body]).toEqual([
        200,
        'true',
        first?.body,
      ]);
      expect(effect, `after call ${nth}`).toEqual(usual);
      // If all items were written before the death, the repetition gets the stored reply and executes nothing.
      const isDone = !addingNothing.includes(endpoint) && isDeepStrictEqual(done, usual);
      if (isDone) expect(first?.headers, `after call ${nth}`).toMatchObject({ 'Idempotent-Replayed': 'true' });
      if (dead) deaths += 1;
    }
    expect(deaths).toBeGreaterThanOrEqual(2);
  });
});

it('repeating an update after a crash does not undo a later update', async () => {
  const request = await asNewcomer(world, { body: { endpoint: endpointUrl } });
  await send('notification/subscribe-webhook', request);
  const moveTo = (url: string) => ({ ...request, body: { endpoint: url } });
  const broken = withHeader(moveTo('https://hooks.example.com/first'), 'Idempotency-Key', randomUUID());

  expect(await dies('notification/update-webhook', broken, 3)).toBe(true);
  await expireLocks(world.table);
  await send('notification/update-webhook', moveTo('https://hooks.example.com/second'));

  expect((await send('notification/update-webhook', broken)).status).toBe(200);
  const urls: unknown[] = [];
  for await (const item of world.table.mirror.read(['webhook'])) {
    if (String(item.endpointUrl).startsWith('https://hooks.example.com/')) urls.push(item.endpointUrl);
  }
  expect(urls).toContain('https://hooks.example.com/second');
  expect(urls).not.toContain('https://hooks.example.com/first');
});
