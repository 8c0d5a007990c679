import { describe, expect, it } from 'vitest';
import { explain } from '../../admin/explain.ts';
import type { Campaign } from '../../shared/domain/campaign/campaign.ts';
import { type Decision, evaluate, type Facts } from '../../shared/domain/campaign/evaluate.ts';
import { aCampaign } from '../domain/fixtures.ts';

const facts: Facts = {
  occurredAt: '2026-03-08T12:00:00.000Z',
  trigger: 'SPEND',
  amountCents: 10_000,
  partnershipIsActive: true,
  statusTierId: 2,
};

/** The words for what the engine itself decides. */
function wordsFor(actions: Campaign['flows'][number]['actions'], more: Partial<Campaign['flows'][number]> = {}) {
  const campaign = aCampaign({ flows: [{ id: 1, trigger: { type: 'SPEND' }, actions, multipliers: [], ...more }] });
  return explain(evaluate(campaign, facts), { actionId: 1 });
}

const award = (pointsPerDollarBp: number) => ({ id: 1, kind: 'AWARD_POINTS', ownerId: 2, pointsPerDollarBp }) as const;
const redeem = (pointValueMicros: number) => ({ id: 1, kind: 'REDEEM_POINTS', ownerId: 2, pointValueMicros }) as const;
const multiplier = (id: number, statusTierIds: number[], factorBp: number) =>
  ({ id, ownerId: 2, attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds, factorBp }) as const;

describe('a decision in words', () => {
  it('tells what was known', () => {
    expect(wordsFor([award(10_000)]).slice(0, 2)).toEqual([
      'Decided for 2026-03-08 12:00:00 UTC by campaign 5, version 1.',
      'Known were a purchase of $100.00 by a member of status tier 2, while the partnership was active.',
    ]);
  });

  it('tells a rate as it was configured', () => {
    expect(wordsFor([award(5_700)]).slice(2)).toEqual([
      'Flow 1, action 1:',
      '  Each dollar earns 0.57 points.',
      '  $100.00 × 0.57 points per dollar came to 57 points, rounded down to whole points.',
    ]);
  });

  it('tells which multipliers applied', () => {
    const multipliers = [multiplier(7, [2], 15_000), multiplier(8, [3], 20_000), multiplier(9, [1, 2], 12_500)];

    expect(wordsFor([award(10_000)], { multipliers }).slice(4)).toEqual([
      '  Multiplier 7 applied: × 1.5.',
      '  Multiplier 8 (× 2) did not apply to the member.',
      '  Multiplier 9 applied: × 1.25.',
      '  $100.00 × 1 points per dollar × 1.5 × 1.25 came to 187 points, rounded down to whole points.',
    ]);
  });

  it('tells what a point was worth', () => {
    expect(wordsFor([redeem(7_500)]).slice(3)).toEqual([
      '  Each point is worth $0.0075.',
      '  $100.00 ÷ $0.0075 per point came to 13,334 points, rounded up to whole points.',
    ]);
    expect(wordsFor([redeem(7_500)], { multipliers: [multiplier(7, [2], 20_000)] }).at(-1)).toBe(
      '  $100.00 ÷ $0.0075 per point (the point’s worth × 2) came to 6,667 points, rounded up to whole points.',
    );
  });

  it('tells of other actions only what they came to', () => {
    expect(wordsFor([award(10_000), { ...award(20_000), id: 2 }]).at(-1)).toBe(
      'Flow 1, action 2, came to 200 points as well.',
    );
  });

  it.each<[NonNullable<Decision['refused']>, string]>([
    ['campaign_not_running', 'the campaign was not running at that time'],
    ['partnership_not_active', 'the partnership was not active'],
    ['points_out_of_range', 'it would have come to more points than can be counted'],
  ])('tells %s', (refused, reason) => {
    const decision = { campaignId: 5, campaignVersion: 3, facts: { ...facts, statusTierId: null }, refused, flows: [] };

    expect(explain(decision, { actionId: 1 })).toEqual([
      'Decided for 2026-03-08 12:00:00 UTC by campaign 5, version 3.',
      'Known were a purchase of $100.00 by a member without a status tier, while the partnership was active.',
      `Nothing was rewarded: ${reason}.`,
    ]);
  });
});
