import { describe, expect, it, vi } from 'vitest';
import { descriptionOf } from '../../../shared/contracts/described.ts';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { Decision } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { netRewards } from '../../../shared/domain/campaign/evaluation/reward.ts';
import { flowView } from '../../../shared/http/views/campaign.ts';
import { conditionType } from '../../../shared/http/views/campaign-codes.ts';
import { simulationView } from '../../../shared/http/views/simulation.ts';
import { fileHelp } from '../../../tools/admin/commands/campaign-file-help.ts';
import { explain } from '../../../tools/admin/explain/explain.ts';
import { aCampaign, aFlow, earning, facts, settings } from '../fixtures.ts';

/** A new condition attribute needs a file, here cup-price.ts, and a line in kinds/registry.ts, which this mock adds. */
vi.mock(import('../../../shared/domain/campaign/document/kinds/registry.ts'), async (importOriginal) => {
  const registry = await importOriginal();
  const { cupPrice } = await import('./cup-price.ts');
  return { ...registry, conditionKinds: [...registry.conditionKinds, cupPrice] } as unknown as typeof registry;
});

/** A campaign that rewards purchases whose average cup costs more than a price. */
function campaignFor(priceCents: unknown, operator = 'GREATER_THAN'): Campaign {
  const condition = { id: 4, ownerId: 2, attribute: 'CUP_PRICE', operator, priceCents };
  const conditionGroups = [{ id: 3, conditions: [condition] }];
  const flow = { ...aFlow([earning(10_000)], [], 2), conditionGroups, reevaluateOnRefund: true };
  return Campaign.parse({ ...aCampaign(), flows: [flow] });
}

/** Evaluates $100.00 for twenty cups. Returns the decision as it is read after it was stored. */
function decide(campaign: Campaign): Decision {
  const decision = evaluate(campaign, facts({ attributes: { cups: ['20'] } }));
  return Decision.parse(JSON.parse(JSON.stringify(decision)));
}

describe('a new condition attribute', () => {
  it('is part of the schema of campaigns', () => {
    expect(campaignFor(450).flows[0]?.conditionGroups[0]?.conditions).toEqual([
      { id: 4, ownerId: 2, attribute: 'CUP_PRICE', operator: 'GREATER_THAN', priceCents: 450 },
    ]);
    expect(() => campaignFor('450')).toThrow('priceCents');
  });

  it('is validated by its own rule and the rules for amounts', () => {
    const faultsOf = (campaign: Campaign) => validateCampaign(campaign, settings());

    expect(faultsOf(campaignFor(450))).toEqual([]);
    expect(faultsOf(campaignFor(10_001))).toEqual([
      {
        pointer: '/flows/0/conditionGroups/0/conditions/0/priceCents',
        code: 'dear_cup',
        message: 'No cup costs more than $100.00',
      },
    ]);
    expect(faultsOf(campaignFor(0, 'LESS_THAN'))).toMatchObject([{ message: 'Nothing is less than 0 cents' }]);
  });

  it('is used by evaluate()', () => {
    expect(decide(campaignFor(499)).flows[0]).toMatchObject({ result: 'REWARDED', actions: [{ points: 100 }] });
    expect(decide(campaignFor(500)).flows[0]).toMatchObject({
      result: 'NOT_QUALIFIED',
      groups: [{ conditions: [{ attribute: 'CUP_PRICE', holds: false, actual: 500, needed: 500 }] }],
    });
  });

  it('is evaluated again after a refund', () => {
    const { flows, facts: known } = decide(campaignFor(499));
    const netAfter = (refundedCents: number) =>
      flows.map((flow) => netRewards(flow, known, { capturedCents: 10_000, refundedCents }));

    expect(netAfter(2_500)).toEqual([[75]]);
    expect(netAfter(10_000)).toEqual([[0]]);
  });

  it('is explained with amounts in dollars', () => {
    expect(
      explain(decide(campaignFor(450)))
        .find((line) => line.includes('condition 4'))
        ?.trim(),
    ).toBe('condition 4, that a cup costs more than $4.50, held: it was $5.00');
  });

  it('is shown to callers with its wire code and amounts in dollars', () => {
    const campaign = campaignFor(450);
    const simulation = { campaign, reason: null, rewards: [], decision: decide(campaign) };

    expect(campaign.flows.map((flow) => flowView(flow, campaign).conditions)).toMatchObject([
      [{ campaign_condition_type: 99, condition_operator: 3, condition_attribute: null, condition_value: 4.5 }],
    ]);
    expect(simulationView(simulation, { seesMembers: true }).flows[0]?.condition_groups[0]?.conditions).toEqual([
      {
        id: 4,
        campaign_condition_type: 99,
        condition_operator: 3,
        condition_attribute: null,
        holds: 1,
        actual: 5,
        needed: 4.5,
      },
    ]);
  });

  it('is described in OpenAPI and in the help of campaign files', () => {
    expect(descriptionOf(conditionType)).toMatch(/, 99 CUP_PRICE\.$/);
    expect(fileHelp).toMatch(
      /\{ "attribute": "CUP_PRICE", "operator": "LESS_THAN", "priceCents": 400 \} +the average cup/,
    );
  });
});
