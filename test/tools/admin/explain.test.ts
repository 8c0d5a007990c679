import { describe, expect, it } from 'vitest';
import type { Condition, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import { type Facts, type Usage, usageName } from '../../../shared/domain/campaign/document/facts.ts';
import { type Decision, type FlowResult, flowResults } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { explain } from '../../../tools/admin/explain/explain.ts';
import { aCampaign, aFlow, aMultiplier, earning, facts, redeeming } from '../../domain/fixtures.ts';

/** Evaluates a purchase of $100 by a member of tier 2, and explains flow 1 and action 1. */
function linesFor(flow: Partial<Flow>, more: Partial<Facts> = {}, usage: Usage = {}): string[] {
  const campaign = aCampaign({ flows: [{ ...aFlow([earning(10_000)]), ...flow }] });
  return explain(evaluate(campaign, facts({ statusTierId: 2, ...more }), usage), { flowId: 1, actionId: 1 });
}

/** The lines of `linesFor()` without the facts. */
const flowLines = (...args: Parameters<typeof linesFor>) => linesFor(...args).slice(4);

const part = (id: number) => ({ id, ownerId: 2 });
const tier = (id: number, statusTierIds: number[], factorBp: number) => aMultiplier({ id, statusTierIds, factorBp });

describe('explain(), about facts,', () => {
  it('lists the known facts of a purchase', () => {
    const known = {
      totalSpendCents: 5_050,
      location: { country: 'US', region: 'TX', city: 'Austin' },
      attributes: { employer: ['Corner Coffee', 'Skyline'] },
    };

    expect(linesFor({}, known).slice(0, 4)).toEqual([
      'Decided for 2026-03-08 08:00:00 EDT by campaign 5, version 1.',
      'Event: a purchase of $100.00.',
      'Member: status tier 2; connected since 2025-12-31 19:00:00 EST; ' +
        'had spent $50.50 at the merchant since then; lives in Austin, TX, US; employer is Corner Coffee, Skyline.',
      'Partnership: active.',
    ]);
  });

  it.each<[Partial<Facts>, string]>([
    [{ trigger: { type: 'REGISTRATION' }, amountCents: null }, 'the member linked an account'],
    [{ trigger: { type: 'REFERRAL' }, amountCents: null }, 'the member referred another one'],
    [{ trigger: { type: 'CUSTOM', customTriggerId: 9 }, amountCents: null }, 'an event of trigger 9'],
    [{ amountCents: null, transferPoints: 1_500 }, 'a transfer of 1,500 points'],
  ])('describes the event of the facts %j', (event, words) => {
    expect(linesFor({}, event)[1]).toBe(`Event: ${words}.`);
  });

  it('names the status tier when its name is known', () => {
    const decision = evaluate(aCampaign(), facts({ statusTierId: 2 }));
    const lines = explain(decision, undefined, { tierName: (id) => (id === 2 ? 'Gold' : undefined) });
    expect(lines[2]).toContain('status tier Gold (2)');
  });

  it('names flows, and the tiers of multipliers, of the version that decided', () => {
    const flows = [{ ...aFlow([earning(20_000)]), multipliers: [tier(7, [2], 15_000), tier(8, [2, 3], 20_000)] }];
    const [campaign, tierName] = [aCampaign({ flows }), (id: number) => (id === 2 ? 'Gold' : undefined)];
    const decision = evaluate(campaign, facts({ statusTierId: 2 }));
    const lines = explain(decision, undefined, { campaign, tierName });
    expect(lines).toEqual(
      expect.arrayContaining([
        'Flow 1 (each dollar earns 2 points) rewarded:',
        '  Multiplier 7 (× 1.5 if the status tier is Gold (2)) applied.',
        '  Multiplier 8 (× 2 if the status tier is one of Gold (2), 3) applied.',
      ]),
    );
    const later = { ...campaign, version: campaign.version + 1 };
    expect(explain(decision, undefined, { campaign: later, tierName })).toContain('Flow 1 rewarded:');
  });

  it('lists the facts about the member that are unknown', () => {
    const unknown = { statusTierId: null, connectedAt: null };

    expect(linesFor({}, unknown)[2]).toBe(
      'Member: no status tier; not connected; had spent $0.00 at the merchant since then; ' +
        'the merchant reported no location.',
    );
  });
});

it('explain() names the part of the paid amount that can earn points', () => {
  const decision = evaluate(aCampaign(), facts());
  const eventLine = (amountCents: number) => explain(decision, { flowId: 1, actionId: 1, amountCents })[1];

  expect(eventLine(10_800)).toBe('Event: a purchase of $108.00; $100.00 of it can earn.');
  expect(eventLine(10_000)).toBe('Event: a purchase of $100.00.');
});

describe('explain(), about actions,', () => {
  it('shows how points per dollar are computed', () => {
    expect(flowLines({ actions: [earning(5_700)] })).toEqual([
      'Flow 1 rewarded:',
      '  It has no conditions: every member qualifies.',
      '  Action 1:',
      '    Each dollar earns 0.57 points.',
      '    $100.00 × 0.57 points per dollar came to 57 points, rounded down.',
    ]);
  });

  it('shows which multipliers applied and which did not', () => {
    const multipliers = [tier(7, [2], 15_000), tier(8, [3], 20_000), tier(9, [1, 2], 12_500)];

    expect(flowLines({ multipliers }).slice(2)).toEqual([
      '  Multiplier 7 (× 1.5) applied.',
      '  Multiplier 8 (× 2) did not apply.',
      '  Multiplier 9 (× 1.25) applied.',
      '  Action 1:',
      '    Each dollar earns 1 point.',
      '    $100.00 × 1 point per dollar × 1.5 × 1.25 came to 187 points, rounded down.',
    ]);
  });

  it('shows how a payment with points is computed', () => {
    expect(flowLines({ actions: [redeeming(7_500)] }).slice(3)).toEqual([
      '    Each point is worth $0.0075.',
      '    $100.00 ÷ $0.0075 per point came to 13,334 points, rounded up.',
    ]);
    expect(flowLines({ actions: [redeeming(7_500)], multipliers: [tier(7, [2], 20_000)] }).at(-1)).toBe(
      '    $100.00 ÷ $0.0075 per point (the point’s worth × 2) came to 6,667 points, rounded up.',
    );
  });

  it('shows how cashback is computed', () => {
    const actions = [{ ...part(1), kind: 'AWARD_CASHBACK' as const, shareBp: 250 }];

    expect(flowLines({ actions }).slice(3)).toEqual([
      '    Each dollar gives 2.5 cents back.',
      '    $100.00 × 2.5 cents per dollar came to $2.50, rounded down.',
    ]);
  });

  it('shows how points per event are computed', () => {
    const trigger = { type: 'REFERRAL' as const };
    const actions = [{ ...part(1), kind: 'AWARD_POINTS' as const, pointsPerEvent: 50 }];

    expect(flowLines({ trigger, actions }, { trigger, amountCents: null }).slice(3)).toEqual([
      '    Each event earns 50 points.',
      '    1 event × 50 points per event came to 50 points, rounded down.',
    ]);
  });

  it('shows how a transfer is computed', () => {
    const actions = [
      {
        ...part(1),
        ...{
          kind: 'TRANSFER_POINTS' as const,
          fromPartnerId: 2,
          toPartnerId: 4,
          conversionRateBp: 7_500,
          increment: 100,
        },
      },
    ];

    expect(flowLines({ actions }, { amountCents: null, transferPoints: 500 }).slice(3)).toEqual([
      '    Each point becomes 0.75 of the other program’s.',
      '    500 points × 0.75 came to 375 points, rounded down.',
      '    500 points left the program of organisation 2, 375 arrived in the program of organisation 4.',
    ]);
  });

  it('shows only the result when an action has no computation', () => {
    expect(flowLines({ actions: [earning(10_000), earning(20_000, 2)] }).at(-1)).toBe(
      '  Action 2 came to 200 points as well.',
    );
  });
});

describe('explain(), about conditions,', () => {
  it('shows the required and the actual value of each condition', () => {
    const conditionGroups: Flow['conditionGroups'] = [
      {
        id: 3,
        logic: 'ANY',
        conditions: [
          { ...part(11), attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA', 'Austin, TX'] },
          { ...part(12), attribute: 'CUSTOM', operator: 'IS_NOT_IN', name: 'employer', values: ['Skyline'] },
        ],
      },
      {
        id: 4,
        logic: 'ALL',
        conditions: [
          { ...part(13), attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 5_000 },
          { ...part(14), attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 20_000 },
          { ...part(15), attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN', days: 90 },
        ],
      },
    ];

    expect(flowLines({ conditionGroups }, { attributes: { employer: ['Skyline'] } })).toEqual([
      'Flow 1 rewarded nothing, because its conditions did not hold:',
      '  Group 3, which needs any of its conditions, did not hold:',
      '    condition 11, that the member lives in “CA”, “Austin, TX”, did not hold: it was not known',
      '    condition 12, that the attribute employer is not one of “Skyline”, did not hold: it was “Skyline”',
      '  Group 4, which needs all of its conditions, did not hold:',
      '    condition 13, that more than $50.00 was spent at the merchant since connecting, did not hold: it was $0.00',
      '    condition 14, that the purchase is less than $200.00, held: it was $100.00',
      '    condition 15, that the member connected more than 90 days ago, did not hold: it was 66.5 days',
    ]);
  });
});

it('explain() accepts a condition without an attribute name, as earlier releases stored it', () => {
  const custom: Condition = { ...part(11), attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['gold'] };
  const flow = {
    ...aFlow([earning(10_000)]),
    conditionGroups: [{ id: 3, logic: 'ANY' as const, conditions: [custom] }],
  };
  const decision = evaluate(aCampaign({ flows: [flow] }), facts());
  for (const { conditions } of decision.flows[0]?.groups ?? []) for (const one of conditions) delete one.name;

  expect(explain(decision, { flowId: 1, actionId: 1 }).at(-1)).toBe(
    '    condition 11, that the attribute is one of “gold”, did not hold: it was nothing',
  );
});

describe('explain(), about limits,', () => {
  const limit = (more: object) => ({ ...part(6), ...more }) as Flow['limits'][number];
  const monthly = { kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', amount: 1_000, period: 'MONTH' };

  it('shows the points to which a limit reduced the reward', () => {
    const lines = flowLines({ limits: [limit(monthly)] }, {}, { [usageName(6, '2026-03')]: 970 });

    expect(lines[2]).toBe(
      '  Limit 6 (at most 1,000 points a member in 2026-03; used before: 970, by this: 30) reduced the points.',
    );
    expect(lines.slice(-2)).toEqual([
      '    $100.00 × 1 point per dollar came to 100 points, rounded down.',
      '    Limits reduced it to 30 points.',
    ]);
  });

  it.each<[string, object, Usage, string]>([
    [
      'that is used up',
      { kind: 'USER', bound: 'MAXIMUM', unit: 'EVENTS', amount: 1, period: 'LIFETIME' },
      { [usageName(6, 'LIFETIME')]: 1 },
      'Limit 6 (at most 1 event a member for ever; used before: 1, by this: 0) refused the reward.',
    ],
    [
      'that was not reached',
      { kind: 'TRANSACTION', bound: 'MINIMUM', unit: 'DOLLARS', amount: 50_050 },
      {},
      'Limit 6 (at least $500.50 a transaction) refused the reward.',
    ],
    [
      'in dollars that was exceeded',
      { kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'DOLLARS', amount: 4_000 },
      {},
      'Limit 6 (at most $40.00 a transaction) capped the amount that counts.',
    ],
    [
      'that changed nothing',
      { kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'POINTS', amount: 500 },
      {},
      'Limit 6 (at most 500 points a transaction) changed nothing.',
    ],
  ])('describes a limit %s', (_, shape, usage, words) => {
    expect(flowLines({ limits: [limit(shape)] }, {}, usage)[2]).toBe(`  ${words}`);
  });
});

describe('explain(), about refused campaigns,', () => {
  it.each<[NonNullable<Decision['refused']>, string]>([
    ['campaign_not_running', 'the campaign was not running at that time'],
    ['partnership_not_active', 'the partnership was not active'],
    ['points_out_of_range', 'it would have come to more points than can be counted'],
  ])('returns the sentence for the reason %s', (refused, reason) => {
    const decision = { campaignId: 5, campaignVersion: 3, facts: facts(), refused, flows: [] };

    expect(explain(decision, { flowId: 1, actionId: 1 }).at(-1)).toBe(`Nothing was rewarded: ${reason}.`);
  });

  it('has a different sentence for every result of a flow', () => {
    const lines = flowResults.map((result: FlowResult) => {
      const flow = { flowId: 2, result, groups: [], multipliers: [], limits: [], actions: [] };
      const decision = { campaignId: 5, campaignVersion: 3, facts: facts(), refused: null, flows: [flow] };
      return explain(decision, { flowId: 1, actionId: 1 }).at(-1);
    });

    expect(new Set(lines).size).toBe(flowResults.length);
    for (const line of lines) expect(line).toMatch(/^Flow 2 [^:]+\.$/);
  });
});
