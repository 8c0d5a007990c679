import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { costPromises } from '../../../shared/contracts/promises.ts';
import { folderOf } from '../../../tools/bench/bundles.ts';
import { brokenPromises, type Cost, measureCosts } from '../../../tools/bench/cost/bench.ts';
import { scenarios, unmeasuredEndpoints } from '../../../tools/bench/cost/scenarios.ts';
import { type CostWorld, openCostWorld } from '../../../tools/bench/cost/world.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { findBundles } from './find-bundles.ts';

let world: CostWorld;
let costs: readonly Cost[];
beforeAll(async () => {
  const bundles = await findBundles(temporaryFolder('bundles'));
  world = await openCostWorld({ dynamoDbEndpoint: inject('dynamoDbEndpoint'), bundles });
  costs = await measureCosts(world);
}, 240_000);
afterAll(() => world?.stop());

describe('the measured DynamoDB cost of requests', () => {
  it('is at most the promised cost', () => {
    expect(brokenPromises(costs)).toEqual([]);
  });

  it('exists for every endpoint', () => {
    expect(unmeasuredEndpoints()).toEqual([]);
  });

  it('is promised only for endpoints and cases that exist', () => {
    const cases = scenarios.map(({ contract, name }) => `${folderOf(contract)} (${name})`);
    expect([...contracts.map(folderOf), ...cases]).toEqual(expect.arrayContaining(Object.keys(costPromises)));
  });

  it('counts each item of a DynamoDB transaction twice, but index entries once', () => {
    const created = costs.find(({ endpoint, cache }) => endpoint === 'reward/create-transaction' && cache === 'warm');
    // Two items, the claim with its event and the transaction, and one entry of the claim in the index `due`.
    expect(created).toMatchObject({ scenario: 'earn', calls: 2, writeUnits: 2 * 2 + 1 });
  });

  it('has one call fewer with a cached credential', () => {
    const remembered = new Set(
      contracts
        .filter(({ credential: { kind } }) => kinds.has(kind))
        .map((contract) => folderOf(contract))
        // Left out, because each request revokes the token that it is sent with: no later request finds it cached.
        .filter((endpoint) => endpoint !== 'user/unlink-own-account'),
    );
    const callsOf = (cache: Cost['cache']) =>
      costs.filter((cost) => cost.cache === cache && remembered.has(cost.endpoint)).map(({ calls }) => calls);
    expect(callsOf('warm')).toEqual(callsOf('cold').map((calls) => calls - 1));
  });
});

/** The credentials that a function caches for a few seconds. */
const kinds = new Set(['partnerKey', 'userToken', 'bearer']);
