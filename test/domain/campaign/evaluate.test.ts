import { describe, expect, it } from 'vitest';
import type { Condition, Limit } from '../../../shared/domain/campaign/document/campaign.ts';
import { Decision } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { aCampaign, aFlow, aMultiplier, earning, facts, redeeming } from '../fixtures.ts';

/** The content of a decision. cases.json covers its amounts. */

describe('the decision of evaluate()', () => {
  it('contains the campaign, the facts and every action of every flow', () => {
    const flows = [aFlow([earning(10_000, 1), earning(20_000, 2)], [], 1), aFlow([redeeming(10_000, 3)], [], 2)];
    const decision = evaluate(aCampaign({ version: 7, flows }), facts());

    expect(decision).toMatchObject({ campaignId: 5, campaignVersion: 7, facts: facts(), refused: null });
    expect(
      decision.flows.map(({ flowId, actions }) => [flowId, actions.map(({ actionId, points }) => [actionId, points])]),
    ).toEqual([
      [
        1,
        [
          [1, 100],
          [2, 200],
        ],
      ],
      [2, [[3, 10_000]]],
    ]);
    expect(Decision.parse(decision)).toEqual(decision);
  });

  it('contains every multiplier, whether it matched or not', () => {
    const multipliers = [
      aMultiplier({ id: 1, statusTierIds: [2, 3] }),
      aMultiplier({ id: 2, operator: 'IS_NOT_IN', statusTierIds: [2, 3], factorBp: 5_000 }),
    ];
    const flows = [aFlow([earning(10_000)], multipliers)];

    expect(evaluate(aCampaign({ flows }), facts({ statusTierId: 2 })).flows[0]).toMatchObject({
      actions: [{ baseRate: 10_000 }],
      multipliers: [
        { multiplierId: 1, matched: true, factorBp: 15_000 },
        { multiplierId: 2, matched: false, factorBp: 5_000 },
      ],
    });
  });

  it('contains every condition of every group, whether it holds or not', () => {
    const basket: Condition = {
      id: 11,
      ownerId: 1,
      attribute: 'BASKET_SIZE',
      operator: 'GREATER_THAN',
      amountCents: 1,
    };
    const spend: Condition = { id: 12, ownerId: 1, attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 1 };
    const group = { id: 10, logic: 'ANY' as const, conditions: [basket, spend] };
    const flows = [{ ...aFlow([earning(10_000)]), conditionGroups: [group] }];

    expect(evaluate(aCampaign({ flows }), facts()).flows[0]?.groups).toEqual([
      {
        groupId: 10,
        logic: 'ANY',
        holds: true,
        conditions: [
          {
            conditionId: 11,
            attribute: 'BASKET_SIZE',
            operator: 'GREATER_THAN',
            holds: true,
            actual: 10_000,
            needed: 1,
          },
          { conditionId: 12, attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', holds: false, actual: 0, needed: 1 },
        ],
      },
    ]);
  });

  it('contains the attribute name of a custom condition', () => {
    const plan: Condition = { id: 11, ownerId: 1, attribute: 'CUSTOM', operator: 'IS_IN', name: 'plan', values: ['a'] };
    const flows = [
      { ...aFlow([earning(10_000)]), conditionGroups: [{ id: 10, logic: 'ANY' as const, conditions: [plan] }] },
    ];

    expect(evaluate(aCampaign({ flows }), facts()).flows[0]?.groups[0]?.conditions).toEqual([
      {
        conditionId: 11,
        attribute: 'CUSTOM',
        name: 'plan',
        operator: 'IS_IN',
        holds: false,
        actual: [],
        needed: ['a'],
      },
    ]);
  });

  it('contains every limit with its amount, its usage and its effect', () => {
    const limits: Limit[] = [
      { id: 21, ownerId: 1, kind: 'TRANSACTION', bound: 'MINIMUM', unit: 'DOLLARS', amount: 1_000 },
      { id: 22, ownerId: 1, kind: 'USER', bound: 'MAXIMUM', unit: 'POINTS', amount: 500, period: 'MONTH' },
    ];
    const flows = [{ ...aFlow([earning(10_000)]), limits }];

    expect(evaluate(aCampaign({ flows }), facts(), { '22#2026-03': 450 }).flows[0]).toMatchObject({
      limits: [
        { limitId: 21, amount: 1_000, period: null, used: 0, effect: 'NONE', charge: 0 },
        { limitId: 22, amount: 500, period: '2026-03', used: 450, effect: 'CAPPED', charge: 50 },
      ],
      actions: [{ points: 50, cappedFrom: 100 }],
    });
  });

  it('contains the source and target program of a transfer', () => {
    const moving = { id: 1, ownerId: 2, kind: 'TRANSFER_POINTS' as const, fromPartnerId: 2, toPartnerId: 3 };
    const flows = [aFlow([{ ...moving, conversionRateBp: 5_000, increment: 1_000 }])];
    const decision = evaluate(
      aCampaign({ type: 'TRANSFER', flows }),
      facts({ amountCents: null, transferPoints: 3_000 }),
    );

    expect(decision.flows[0]?.actions[0]).toMatchObject({
      points: 1_500,
      transfer: { fromPartnerId: 2, toPartnerId: 3, points: 3_000 },
    });
  });
});
