import { describe, expect, it } from 'vitest';
import type { Action } from '../../shared/domain/campaign/action.ts';
import type { Campaign } from '../../shared/domain/campaign/campaign.ts';
import { Decision } from '../../shared/domain/campaign/decision.ts';
import { evaluate } from '../../shared/domain/campaign/evaluate.ts';
import type { Facts } from '../../shared/domain/campaign/facts.ts';
import { aCampaign, aFlow, aMultiplier, earning, facts, redeeming } from './fixtures.ts';

function pointsFor(action: Action, more: Partial<Facts>, multipliers = [] as ReturnType<typeof aMultiplier>[]) {
  const decision = evaluate(aCampaign({ flows: [aFlow([action], multipliers)] }), facts(more));
  return decision.flows[0]?.actions[0]?.points;
}

/** Dollars and points per dollar as people say them; the rate in ten-thousandths is what is stored. */
describe('points earned: rounded down, once, at the end', () => {
  it.each([
    ['$100.00', 'at 0.57 points per dollar', 10_000, 5_700, 57],
    ['$100.00', 'at 1 point per dollar', 10_000, 10_000, 100],
    ['$0.99', 'at 1 point per dollar', 99, 10_000, 0],
    ['$1.00', 'at 1 point per dollar', 100, 10_000, 1],
    ['$1.99', 'at 1 point per dollar', 199, 10_000, 1],
    ['$19.99', 'at 1.5 points per dollar', 1_999, 15_000, 29],
    ['$0.29', 'at 100 points per dollar', 29, 1_000_000, 29],
    ['$4.35', 'at 100 points per dollar', 435, 1_000_000, 435],
    ['$1.10', 'at 1.1 points per dollar', 110, 11_000, 1],
    ['nothing', 'at 1 point per dollar', 0, 10_000, 0],
    ['$100.00', 'at no points', 10_000, 0, 0],
    ['$9,999.99', 'at 0.0001 points per dollar', 999_999, 1, 0],
    ['$10,000,000.00', 'at 0.0001 points per dollar', 1_000_000_000, 1, 1_000],
    ['$10,000,000.00', 'at 10,000 points per dollar', 1_000_000_000, 100_000_000, 100_000_000_000],
  ])('%s %s', (_amount, _rate, amountCents, rateBp, points) => {
    expect(pointsFor(earning(rateBp), { amountCents })).toBe(points);
  });
});

describe('points needed to pay: rounded up', () => {
  it.each([
    ['$12.50', 'with points of one cent', 1_250, 10_000, 1_250],
    ['$0.01', 'with points of one cent', 1, 10_000, 1],
    ['$0.01', 'with points of one dollar', 1, 1_000_000, 1],
    ['$1.00', 'with points of one dollar', 100, 1_000_000, 1],
    ['$1.01', 'with points of one dollar', 101, 1_000_000, 2],
    ['$10.00', 'with points of 0.7 cents', 1_000, 7_000, 1_429],
    ['$10.00', 'with points of 0.75 cents', 1_000, 7_500, 1_334],
    ['nothing', 'with points of one cent', 0, 10_000, 0],
    ['$10,000,000.00', 'with points of a hundredth of a cent', 1_000_000_000, 100, 100_000_000_000],
  ])('%s %s', (_amount, _value, amountCents, valueMicros, points) => {
    expect(pointsFor(redeeming(valueMicros), { amountCents })).toBe(points);
  });
});

describe('multipliers', () => {
  const gold = aMultiplier({ statusTierIds: [2, 3] });
  const notGold = aMultiplier({ operator: 'IS_NOT_IN', statusTierIds: [2, 3], factorBp: 5_000 });
  const all = aMultiplier({ operator: 'IS_NOT_IN', statusTierIds: [99], factorBp: 11_000 });

  it.each([
    ['1.5 × for gold, a gold member', [gold], 2, 150],
    ['1.5 × for gold and platinum, a platinum member', [gold], 3, 150],
    ['1.5 × for gold, a silver member', [gold], 1, 100],
    ['1.5 × for gold, a member without a tier', [gold], null, 100],
    ['half for all but gold, a gold member', [notGold], 2, 100],
    ['half for all but gold, a silver member', [notGold], 1, 50],
    ['half for all but gold, a member without a tier', [notGold], null, 50],
    ['1.5 × for gold and 1.1 × for most, a gold member', [gold, all], 2, 165],
    ['none', [], 2, 100],
  ])('%s: of $100 at one point per dollar', (_case, multipliers, statusTierId, points) => {
    expect(pointsFor(earning(10_000), { statusTierId }, multipliers)).toBe(points);
  });

  it('make each point worth more when points are paid', () => {
    expect(pointsFor(redeeming(10_000), { statusTierId: 2, amountCents: 1_000 }, [gold])).toBe(667);
  });

  it('round once: three times 1.1 of 100 is 133.1, not 110, 121, 133 with something lost on the way', () => {
    expect(pointsFor(earning(10_000), {}, [all, all, all])).toBe(133);
    expect(pointsFor(earning(10_000), { amountCents: 10_000_000 }, [all, all, all])).toBe(133_100);
  });

  it('are all named in the decision, those that did not match as well', () => {
    const decision = evaluate(
      aCampaign({ flows: [aFlow([earning(10_000)], [gold, aMultiplier({ ...notGold, id: 2 })])] }),
      facts({ statusTierId: 2 }),
    );

    expect(decision.flows[0]).toMatchObject({
      actions: [{ baseRate: 10_000 }],
      multipliers: [
        { multiplierId: 1, matched: true, factorBp: 15_000 },
        { multiplierId: 2, matched: false, factorBp: 5_000 },
      ],
    });
  });
});

describe('when a campaign rewards', () => {
  const march: Partial<Campaign> = { startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z' };

  it.each([
    ['a millisecond before it starts', march, '2026-02-28T23:59:59.999Z', 'campaign_not_running'],
    ['at its start', march, '2026-03-01T00:00:00.000Z', null],
    ['a millisecond before its end', march, '2026-03-31T23:59:59.999Z', null],
    ['at its end', march, '2026-04-01T00:00:00.000Z', 'campaign_not_running'],
    ['years later without an end', { ...march, endsAt: null }, '2031-01-01T00:00:00.000Z', null],
    ['by the instant, however it is written', march, '2026-03-31T19:59:59.999-04:00', null],
    ['at its end in another offset', march, '2026-03-31T20:00:00.000-04:00', 'campaign_not_running'],
    ['scheduled, and its start has come', { ...march, status: 'SCHEDULED' as const }, '2026-03-01T00:00:00.000Z', null],
    ['a draft', { ...march, status: 'DRAFT' as const }, '2026-03-08T00:00:00.000Z', 'campaign_not_running'],
    ['in review', { ...march, status: 'IN_REVIEW' as const }, '2026-03-08T00:00:00.000Z', 'campaign_not_running'],
    ['paused', { ...march, status: 'PAUSED' as const }, '2026-03-08T00:00:00.000Z', 'campaign_not_running'],
    [
      'ended by hand, after it',
      { ...march, endsAt: '2026-03-07T00:00:00.000Z', status: 'ENDED' as const },
      '2026-03-08T00:00:00.000Z',
      'campaign_not_running',
    ],
    ['ended by now, before it', { ...march, status: 'ENDED' as const }, '2026-03-08T00:00:00.000Z', null],
    ['deleted', { ...march, isDeleted: true }, '2026-03-08T00:00:00.000Z', 'campaign_not_running'],
  ])('%s', (_case, campaign, occurredAt, refused) => {
    const decision = evaluate(aCampaign(campaign), facts({ occurredAt }));

    expect(decision.refused).toBe(refused);
    expect(decision.flows).toHaveLength(refused === null ? 1 : 0);
  });

  it('not while the partnership is not active', () => {
    const decision = evaluate(aCampaign(), facts({ partnershipIsActive: false }));

    expect(decision).toMatchObject({ refused: 'partnership_not_active', flows: [] });
  });
});

describe('the decision', () => {
  it('names the campaign, its version, the facts, and every action of every flow', () => {
    const flows = [aFlow([earning(10_000, 1), earning(20_000, 2)], [], 1), aFlow([redeeming(10_000, 3)], [], 2)];
    const decision = evaluate(aCampaign({ version: 7, flows }), facts());

    expect(decision).toMatchObject({ campaignId: 5, campaignVersion: 7, facts: facts(), refused: null });
    expect(decision.flows.map(({ flowId, actions }) => [flowId, ...actions.map(({ points }) => points)])).toEqual([
      [1, 100, 200],
      [2, 10_000],
    ]);
    expect(Decision.parse(decision)).toEqual(decision);
  });

  it('refuses rates that make more points of a purchase than numbers can count', () => {
    const thousandfold = aMultiplier({ operator: 'IS_NOT_IN', factorBp: 10_000_000 });
    const flows = [aFlow([earning(100_000_000)], [thousandfold, thousandfold])];

    const decision = evaluate(aCampaign({ flows }), facts({ amountCents: 1_000_000_000 }));

    expect(decision).toMatchObject({ refused: 'points_out_of_range', flows: [] });
  });
});
