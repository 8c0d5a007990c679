import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { maximumCharacters } from '../../shared/contracts/limits.ts';
import type { Request } from '../support/call.ts';
import { endpointOf, requestsTo, send } from '../support/endpoint-requests.ts';
import { makeWorld, type World } from '../support/world.ts';

/** DynamoDB refuses keys that are longer than 2 KB. A parameter of such a length must not cause an internal error. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const validRequest = async (endpoint: string): Promise<Request> => (await requestsTo(world)[endpoint]?.()) ?? {};
const longTexts = ['a', '1', 'é', '😀'].map((character) => character.repeat(3_000 / character.length));

const inPaths = contracts.flatMap((contract) =>
  [...contract.path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({
    endpoint: endpointOf(contract),
    parameter,
    contract,
  })),
);

describe.each(inPaths)('the parameter $parameter in the path of $endpoint', ({ endpoint, parameter, contract }) => {
  it('is an unknown id when it has 3,000 characters', async () => {
    const request = await validRequest(endpoint);
    const statuses = new Set<number>();
    for (const text of longTexts) {
      statuses.add((await send(endpoint, { ...request, params: { ...request.params, [parameter]: text } })).status);
    }
    const isCredential = parameter === 'connect_token' || contract.credential.kind.endsWith('Signature');
    expect([...statuses]).toEqual([isCredential ? contract.credential.invalid.status : 404]);
  });
});

it('no id is as long as the part of a path parameter that is read', () => {
  expect(maximumCharacters.pathParameter).toBeGreaterThan(maximumCharacters.text);
});

const inQueries = contracts.flatMap(({ host, name, query }) =>
  Object.keys(query?.shape ?? {}).map((parameter) => ({ endpoint: `${host}/${name}`, parameter })),
);

describe.each(inQueries)('the parameter $parameter in the query of $endpoint', ({ endpoint, parameter }) => {
  it('is refused with 400 when it has 3,000 characters', async () => {
    const request = await validRequest(endpoint);
    for (const text of longTexts) {
      const answer = await send(endpoint, { ...request, query: { ...request.query, [parameter]: text } });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, `/${parameter}`]);
    }
  });
});

const named = ['idempotency-key', 'x-request-id', 'webhook-id', 'webhook-signature', 'x-square-hmacsha256-signature'];
describe.each(contracts.map(endpointOf))('headers of %s', (endpoint) => {
  it.each(named)('%s cause no internal error when they have 3,000 characters', async (header) => {
    const request = await validRequest(endpoint);
    for (const text of longTexts) {
      const { status } = await send(endpoint, { ...request, headers: { ...request.headers, [header]: text } });
      expect(status).toBeLessThan(500);
    }
  });
});
