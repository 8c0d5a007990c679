import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { Faults } from '../../tools/local/dynamodb/faults.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../../tools/local/dynamodb/proxy.ts';
import type { Answer, Request } from '../support/call.ts';
import { endpointOf, requestsTo, send, withHeader } from '../support/endpoint-requests.ts';
import { itemsAdded } from '../support/test-table.ts';
import { makeWorld, type World } from '../support/world.ts';

/** Faults of DynamoDB at each call of each endpoint. */

const faults = new Faults(1);
let world: World;
let proxy: DynamoDbProxy;

beforeAll(async () => {
  // The pause before a repetition is a random part of a maximum. With 0 there is no pause.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  world = await makeWorld({ isServed: true });
  proxy = await startDynamoDbProxy({ target: world.table.endpoint, faults });
  // A handler makes its clients at its first call, which comes after this line.
  process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.endpoint;
});
afterEach(() => faults.clear());
afterAll(() => proxy.stop());

/** The endpoints whose requests are not signed. Signed requests need a bus, or a partner that runs its program. */
const endpoints = contracts.filter(({ credential }) => !credential.kind.endsWith('Signature')).map(endpointOf);
const aRequestTo = async (endpoint: string): Promise<Request> => (await requestsTo(world)[endpoint]?.()) ?? {};

it('requestsTo() has a request to each endpoint, except endpoints with signed requests', () => {
  expect(Object.keys(requestsTo(world)).sort()).toEqual(endpoints.toSorted());
});

describe.each(endpoints)('%s when one answer of DynamoDB is lost', (endpoint) => {
  it('succeeds with its usual effect', async () => {
    // The first request also adds items that later requests only update, such as counters of proofs.
    await send(endpoint, await aRequestTo(endpoint));
    const undisturbed = await aRequestTo(endpoint);
    const usual = await itemsAdded(world.table, () => send(endpoint, undisturbed));
    for (let nth = 1, isLost = true; isLost; nth += 1) {
      const request = await aRequestTo(endpoint);
      const lost = faults.add({ fault: 'killAfter', nth });
      const effect = await itemsAdded(world.table, async () => {
        expect([200, 303], `call ${nth}`).toContain((await send(endpoint, request)).status);
      });
      faults.clear();
      isLost = lost.hits > 0;
      expect(effect, `call ${nth}`).toEqual(usual);
    }
  });
});

describe.each(endpoints)('%s when DynamoDB does not answer', (endpoint) => {
  it('returns 503 with Retry-After if it has written nothing, and can be repeated', async () => {
    const replies = new Set<number>();
    for (let nth = 1, isLost = true; isLost; nth += 1) {
      const request = withHeader(await aRequestTo(endpoint), 'Idempotency-Key', randomUUID());
      // DynamoDB carries out each of the calls, so the effect of a write is seen.
      const lost = faults.add({ fault: 'killAfter', from: nth });
      const answers: Answer[] = [];
      const effect = await itemsAdded(world.table, async () => answers.push(await send(endpoint, request)));
      faults.clear();
      isLost = lost.hits > 0;
      const [{ status, headers, body } = { status: 0, headers: {}, body: null }] = answers;
      replies.add(status);
      expect([200, 303, 500, 503], `call ${nth}`).toContain(status);
      if (status !== 503) continue;
      expect(headers['Retry-After'], `call ${nth}`).toMatch(/^\d+$/);
      expect(body.error_description ?? body.message ?? body).toContain('changed nothing');
      expect(
        Object.keys(effect).filter((kind) => kind !== 'idempotency'),
        `call ${nth}`,
      ).toEqual([]);
      // 409 while the key is locked: its release did not arrive.
      expect([200, 303, 409], `call ${nth}`).toContain((await send(endpoint, request)).status);
    }
    expect(replies.has(503)).toBe(!endpoint.endsWith('/get-openapi'));
  }, 120_000);
});

// These tests come last, because the client library stops repeating calls after too many of them were refused.
describe.each(endpoints)('%s when DynamoDB throttles', (endpoint) => {
  it('returns 429 with Retry-After when any call fails', async () => {
    let refusals = 0;
    for (let nth = 1, isRefused = true; isRefused; nth += 1) {
      const request = await aRequestTo(endpoint);
      const fault = nth % 2 === 0 ? 'ProvisionedThroughputExceeded' : 'Throttling';
      const throttled = faults.add({ fault, from: nth });
      const { status, headers } = await send(endpoint, request);
      faults.clear();
      isRefused = throttled.hits > 0;
      // An endpoint may succeed when it does not need the calls that fail. It never fails with another status.
      if (status === 429) expect(headers['Retry-After'], `call ${nth}`).toMatch(/^\d+$/);
      else expect([200, 303], `call ${nth}`).toContain(status);
      refusals += status === 429 ? 1 : 0;
    }
    // Only the endpoints that return the OpenAPI documents make no call.
    expect(refusals > 0).toBe(!endpoint.endsWith('/get-openapi'));
  });
});
