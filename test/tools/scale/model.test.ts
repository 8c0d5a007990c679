import { describe, expect, it } from 'vitest';
import { consumers } from '../../../functions/consumers.ts';
import { claimItem } from '../../../shared/store/award/claims.ts';
import { billOf, dollarsOf, standingBill } from '../../../tools/cost/bill.ts';
import { counted } from '../../../tools/cost/counted.ts';
import { loads } from '../../../tools/cost/prices.ts';
import { loadAt } from '../../../tools/scale/assumptions.ts';
import { ceilingsAt, dollarsPerMonth, type PlatformLoad, shardsAt } from '../../../tools/scale/model.ts';
import { type ItemUse, purchaseItems } from '../../../tools/scale/purchase-items.ts';
import { type Quota, quotas } from '../../../tools/scale/quotas.ts';
import { blockersAt, brokenGoals, goals, scenarios } from '../../../tools/scale/scenarios.ts';
import { aPurchase } from '../../domain/fixtures.ts';

const { functions } = counted.journeys.purchase;
const names = Object.keys(functions);
const sum = (uses: readonly ItemUse[], kind: 'readUnits' | 'writeUnits') =>
  uses.reduce((total, use) => total + (use[kind] ?? 0), 0);

describe('the table items of a purchase', () => {
  const unitsOf = (name: string) => {
    const own = purchaseItems.filter((use) => use.function === name);
    const uncached = own.filter(({ isCached }) => isCached !== true);
    const shared = own.filter(({ onceFor, isCached }) => onceFor === 'streamBatch' && isCached !== true);
    return {
      readUnits: sum(uncached, 'readUnits'),
      writeUnits: sum(own, 'writeUnits'),
      sharedWriteUnits: sum(shared, 'writeUnits'),
    };
  };

  it.each(names)('add up to the counted units of the function %s', (name) => {
    expect(functions[name]).toMatchObject(unitsOf(name));
  });

  it('belong only to functions whose units were counted', () => {
    expect(names).toEqual(expect.arrayContaining(purchaseItems.map((use) => use.function)));
  });

  it('contain one write unit for each webhook delivery', () => {
    const rows = purchaseItems.filter(({ prefix }) => prefix === 'DELIVERY#');
    expect(sum(rows, 'writeUnits')).toBe(counted.journeys.purchase.webhooks);
  });

  it('assume that expiring claims spread over all shards of their index', () => {
    const shards = new Set(
      Array.from({ length: 2_000 }, (_, nth) => claimItem(aPurchase({ externalTransactionId: `order-${nth}` })).duePk),
    );
    const [due] = purchaseItems.filter(({ index }) => index === 'due');
    expect(1 / shards.size).toBe(due?.busiestShare);
  });
});

const one = { merchants: 1, partners: 1, memberLimits: 0 };
const headrooms = (load: PlatformLoad) =>
  new Map(ceilingsAt(load).map(({ part, name, headroom }) => [`${part}: ${name}`, headroom]));
const find = (load: PlatformLoad, text: string) => ceilingsAt(load).find(({ name }) => name.includes(text));

describe('the limits of a load', () => {
  it('never get more headroom when the load doubles', () => {
    const owners = [one, { ...one, merchants: 1_000, partners: 100 }, { ...one, memberLimits: 3 }];
    for (const others of owners) {
      for (const perSecond of [0.5, 1, 7, 10, 15, 33, 60, 99, 100, 133, 400, 1_000, 4_999, 20_000]) {
        const before = headrooms({ ...others, perSecond });
        for (const [name, headroom] of headrooms({ ...others, perSecond: 2 * perSecond })) {
          expect(headroom, `${name} at ${perSecond}`).toBeLessThanOrEqual((before.get(name) ?? 0) * (1 + 1e-9));
        }
      }
    }
  });

  it('never get less headroom with more merchants and partners', () => {
    const before = headrooms({ ...one, perSecond: 1_000 });
    for (const [name, headroom] of headrooms({ ...one, perSecond: 1_000, merchants: 10, partners: 10 })) {
      expect(headroom, name).toBeGreaterThanOrEqual(before.get(name) ?? 0);
    }
  });

  it('are sorted by headroom, the tightest first', () => {
    const found = ceilingsAt({ ...one, perSecond: 1_000 }).map(({ headroom }) => headroom);
    expect(found).toEqual(found.toSorted((first, second) => first - second));
  });

  it('count two requests per purchase at a merchant’s IP address', () => {
    expect(find({ ...one, perSecond: 1_000 }, 'one address')).toMatchObject({ part: 'WAF', demand: 2_000 });
  });

  it('assume that one partition holds three sixteenths of a merchant’s deliveries', () => {
    const writes = find({ ...one, perSecond: 1_000 }, 'writes of DELIVERY#, one merchant');
    expect(writes).toMatchObject({ demand: (1_000 * 3 * 3) / 16, capacity: 1_000 });
  });

  it('include the writes that count the limits of members', () => {
    const without = find({ ...one, perSecond: 100 }, 'writes')?.demand ?? 0;
    expect(find({ ...one, perSecond: 100, memberLimits: 2 }, 'writes')?.demand).toBeCloseTo(without + 100 * 4, 6);
  });

  it('are reported with a monthly cost that agrees with docs/cost.md', () => {
    const purchase = dollarsOf(billOf(counted.journeys.purchase, loads.busy, counted.resources.memoryMb), 1);
    const expected = purchase * 100 * 43_800 * 60 + dollarsOf(standingBill(counted), 1);
    expect(dollarsPerMonth({ ...one, perSecond: 100 })).toBeCloseTo(expected, 5);
  });
});

describe('the batches of a load', () => {
  it('contain one message at low load, several at high load', () => {
    expect(loadAt(1)).toMatchObject({ streamBatch: 1, queueBatch: 1, isCached: false });
    for (const perSecond of [100, 10_000]) {
      const { streamBatch, queueBatch, isCached } = loads.busy;
      expect(loadAt(perSecond)).toMatchObject({ streamBatch, queueBatch, isCached });
    }
  });
});

describe('the stream', () => {
  it('has a shard for each partition of the table', () => {
    expect(shardsAt({ ...one, perSecond: 1 })).toBe(4);
    expect(shardsAt({ ...one, perSecond: 1_000 })).toBe(31);
  });

  it('has at most as many readers as AWS allows', () => {
    const readers = consumers.filter(({ source }) => source.kind === 'stream');
    expect(readers.length).toBeLessThanOrEqual(quotas.shardReaders.value);
  });
});

describe('the goals of scale', () => {
  it('can be reached without a change of the code', () => {
    expect(brokenGoals()).toEqual([]);
  });

  it('are reported as broken when a known blocker blocks no longer', () => {
    expect(brokenGoals(['gone'])).toHaveLength(goals.length);
    expect(brokenGoals(['gone'])[0]).toMatch(/gone blocks no longer/);
  });

  it('are included in the scenarios of the bench', () => {
    expect(scenarios).toEqual(expect.arrayContaining([...goals]));
  });

  it('cannot be reached at 10,000 purchases a second for one partner', () => {
    const names = blockersAt({ ...one, merchants: 100, perSecond: 10_000 }).map(({ name }) => name);
    expect(names).toContain('writes of DELIVERY#, one partner');
  });
});

describe('the quotas', () => {
  it.each<[string, Quota]>(Object.entries(quotas))('%s has a source', (_, { source, value }) => {
    expect(source).toMatch(/^docs\.aws\.amazon\.com\//);
    expect(value).toBeGreaterThan(0);
  });
});
