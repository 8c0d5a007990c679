import { describe, expect, it } from 'vitest';
import type { Campaign, Condition } from '../../../shared/domain/campaign/document/campaign.ts';
import type { EventFacts, PurchasedItem } from '../../../shared/domain/campaign/document/facts.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { netRewards } from '../../../shared/domain/campaign/evaluation/reward.ts';
import { explain } from '../../../tools/admin/explain/explain.ts';
import { fc } from '../../support/fast-check.ts';
import { aCampaign, aFlow, earning, facts } from '../fixtures.ts';
import { purchasedItems } from './arbitraries.ts';
import { all, any, livesOutside } from './campaign-parts.ts';

const part = { id: 71, ownerId: 2 } as const;
const ofCategory = (...values: string[]): Condition => ({
  ...{ ...part, attribute: 'ITEM', operator: 'IS_IN', name: 'CATEGORY', values },
});
const notOfCategory = (...values: string[]): Condition => ({
  ...{ ...part, attribute: 'ITEM', operator: 'IS_NOT_IN', name: 'CATEGORY', values },
});
const withTag = (...values: string[]): Condition => ({
  ...{ ...part, id: 72, attribute: 'ITEM', operator: 'IS_IN', name: 'TAG', values },
});
const contains = (operator: 'IS_IN' | 'IS_NOT_IN', ...values: string[]): Condition => ({
  ...{ ...part, attribute: 'CONTAINS_ITEM', operator, name: 'CATEGORY', values },
});

type Groups = Campaign['flows'][number]['conditionGroups'];
const campaignWith = (...conditionGroups: Groups): Campaign =>
  aCampaign({ flows: [{ ...aFlow([earning(10_000)]), conditionGroups }] });

/** Coffee on sale for $30, a kettle for $50, and an item without a category for $20. */
const items: readonly PurchasedItem[] = [
  { productId: 'c-1', category: 'coffee', tags: ['sale'], amountCents: 3_000 },
  { productId: 'k-1', category: 'kettle', tags: [], amountCents: 5_000 },
  { tags: [], amountCents: 2_000 },
];

function decide(campaign: Campaign, more: Partial<EventFacts> = {}) {
  const decision = evaluate(campaign, { ...facts(), items, ...more });
  const [flow] = decision.flows;
  if (!flow) throw new Error('the campaign has no flow');
  const points = flow.actions.reduce((sum, action) => sum + action.points, 0);
  return { decision, flow, points, result: flow.result };
}

describe('a flow whose conditions choose items', () => {
  it('rewards only the matching items, and stores their amount', () => {
    const { decision, flow, points } = decide(campaignWith(all(ofCategory('coffee'))));

    expect(points).toBe(30);
    expect(flow.countedCents).toBe(3_000);
    expect(flow.groups[0]?.conditions[0]).toMatchObject({ name: 'CATEGORY', actual: ['coffee', 'kettle'] });
    expect(decision.facts).not.toHaveProperty('items');
  });

  it.each<[string, Groups, number]>([
    ['excludes items by IS_NOT_IN, and rewards items without the attribute', [all(notOfCategory('kettle'))], 50],
    [
      'rewards the items that fulfil every condition of a group with ALL',
      [all(ofCategory('coffee', 'kettle'), withTag('sale'))],
      30,
    ],
    ['rewards the items that fulfil every group', [any(ofCategory('coffee')), any(withTag('sale'))], 30],
    ['rewards the items of either condition of a group with ANY', [any(ofCategory('kettle'), withTag('sale'))], 80],
  ])('%s', (_, groups, points) => {
    expect(decide(campaignWith(...groups)).points).toBe(points);
  });

  it('rewards the whole purchase when its ANY group holds by another condition', () => {
    const location = { country: 'US', region: 'TX', city: 'Austin' };
    expect(decide(campaignWith(any(ofCategory('coffee'), livesOutside('CA'))), { location }).flow).toMatchObject({
      result: 'REWARDED',
      actions: [{ points: 100 }],
    });
  });

  it('divides a discount in proportion to the prices', () => {
    expect(decide(campaignWith(all(ofCategory('coffee'))), { amountCents: 5_000 }).flow.countedCents).toBe(1_500);
  });

  it('counts no amount outside the items, such as a tax', () => {
    expect(decide(campaignWith(all(notOfCategory('gift card'))), { amountCents: 12_000 }).points).toBe(100);
  });

  it.each<[string, Groups, Partial<EventFacts>, string]>([
    ['no item matches', [all(ofCategory('tea'))], {}, 'NOT_QUALIFIED'],
    ['no item fulfils all groups', [all(ofCategory('kettle')), all(withTag('sale'))], {}, 'NO_MATCHING_ITEM'],
    ['the purchase lists no items', [all(notOfCategory('tea'))], { items: undefined }, 'NOT_QUALIFIED'],
    ['the matching items cost nothing', [all(ofCategory('coffee'))], { amountCents: 0 }, 'WORTH_NOTHING'],
  ])('rewards nothing when %s', (_, groups, more, result) => {
    expect(decide(campaignWith(...groups), more).result).toBe(result);
  });

  it('is explained with the amount of the chosen items', () => {
    const lines = explain(decide(campaignWith(all(ofCategory('coffee')))).decision).map((line) => line.trim());

    expect(lines).toContain('It rewards the chosen items only: $30.00 of $100.00.');
    expect(lines).toContain('$30.00 × 1 point per dollar came to 30 points, rounded down.');
    expect(lines).toContain('condition 71, that an item’s category is “coffee”, held: it was “coffee”, “kettle”');
  });

  it('loses its reward in proportion to the refund', () => {
    const { flow, decision } = decide(campaignWith(all(ofCategory('coffee'))));
    const left = (refundedCents: number) => netRewards(flow, decision.facts, { capturedCents: 10_000, refundedCents });

    expect([0, 1, 5_000, 9_999, 10_000].map(left)).toEqual([[30], [29], [15], [0], [0]]);
  });
});

describe('the condition CONTAINS_ITEM', () => {
  it.each<[string, Condition, Partial<EventFacts>, string]>([
    ['rewards the whole purchase when an item matches', contains('IS_IN', 'coffee'), {}, 'REWARDED'],
    ['does not hold when no item matches', contains('IS_IN', 'tea'), {}, 'NOT_QUALIFIED'],
    ['holds with IS_NOT_IN when no item matches', contains('IS_NOT_IN', 'tea'), {}, 'REWARDED'],
    ['does not hold with IS_NOT_IN when an item matches', contains('IS_NOT_IN', 'coffee'), {}, 'NOT_QUALIFIED'],
    ['does not hold without items', contains('IS_NOT_IN', 'tea'), { items: [] }, 'NOT_QUALIFIED'],
  ])('%s', (_, condition, more, result) => {
    const { flow } = decide(campaignWith(all(condition)), more);
    expect(flow.result).toBe(result);
    expect(flow.countedCents).toBeUndefined();
  });
});

describe('the counted amount of random purchases', () => {
  const purchases = fc.record({ items: purchasedItems, amountCents: fc.integer({ min: 0, max: 2_000_000_000 }) });
  const counted = (condition: Condition, purchase: Partial<EventFacts>) =>
    decide(campaignWith(all(condition)), purchase).flow.countedCents ?? 0;

  it('exceeds neither the item prices nor the purchase amount', () => {
    fc.assert(
      fc.property(purchases, (purchase) => {
        const cents = counted(ofCategory('coffee'), purchase);
        const prices = purchase.items.filter(({ category }) => category === 'coffee');
        expect(cents).toBeLessThanOrEqual(prices.reduce((sum, { amountCents }) => sum + amountCents, 0));
        expect(cents).toBeLessThanOrEqual(purchase.amountCents);
      }),
    );
  });

  it('never exceeds the purchase amount, even with the amount of all other items', () => {
    fc.assert(
      fc.property(purchases, (purchase) => {
        const both = counted(ofCategory('coffee', 'tea'), purchase) + counted(notOfCategory('coffee', 'tea'), purchase);
        expect(both).toBeLessThanOrEqual(purchase.amountCents);
      }),
    );
  });
});
