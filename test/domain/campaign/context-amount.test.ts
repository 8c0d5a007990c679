import { describe, expect, it } from 'vitest';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type { Campaign, Condition } from '../../../shared/domain/campaign/document/campaign.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { gatherFacts } from '../../../shared/domain/campaign/evaluation/gather-facts.ts';
import { awardRequestForOrder } from '../../../shared/domain/order/order.ts';
import { attributesOfContext, numbersOfContext } from '../../../shared/domain/trigger/context-attributes.ts';
import { explain } from '../../../tools/admin/explain/explain.ts';
import {
  aCampaign,
  aMember,
  aMembership,
  anAssociation,
  anOrder,
  aPartnership,
  earning,
  facts,
  settings,
} from '../fixtures.ts';
import { all, cashback, flow, perTransaction, points } from './campaign-parts.ts';

const trigger = { type: 'CUSTOM', customTriggerId: 7 } as const;
const byFare = { ...trigger, amountField: 'fare' } as const;
const campaign: Campaign = aCampaign({ flows: [{ ...flow([earning(20_000)]), trigger: byFare }] });

const decide = (context: Record<string, unknown>, under = campaign) =>
  evaluate(under, { ...facts({ trigger, amountCents: null }), numbers: numbersOfContext(context) });
const flowOf = (context: Record<string, unknown>, under = campaign) => decide(context, under).flows[0];

describe('a flow that rewards an event’s amount', () => {
  it.each([
    [12.34, 1_234, 24],
    [0.29, 29, 0],
    [100, 10_000, 200],
    // A fraction of a cent never counts.
    [0.999, 99, 1],
    [10_000_000, 1_000_000_000, 20_000_000],
  ])('awards points for the amount $%s', (fare, countedCents, expected) => {
    const outcome = flowOf({ fare });
    expect(outcome?.countedCents).toBe(countedCents);
    expect(outcome?.actions[0]?.points).toBe(expected);
  });

  it.each([
    ['is missing', {}],
    ['is a text', { fare: '12.34' }],
    ['is negative', { fare: -1 }],
    ['is above the largest amount', { fare: 10_000_000.01 }],
    ['is missing beside a field named __proto__', JSON.parse('{ "__proto__": 5 }')],
  ])('awards nothing when the amount %s', (_, context) => {
    expect(flowOf(context)?.result).toBe('NO_AMOUNT');
  });

  it('rewards an event together with other flows of the same trigger', () => {
    const both = aCampaign({
      flows: [
        { ...flow([earning(20_000)]), trigger: byFare },
        { ...flow([points(2, 5)]), id: 11, trigger },
      ],
    });
    const results = decide({ fare: 10 }, both).flows.map(({ actions }) => actions.map((action) => action.points));
    expect(results).toEqual([[20], [5]]);
  });

  it('may give cashback under a limit in dollars', () => {
    const limits = [perTransaction('MAXIMUM', 'DOLLARS', 1_000)];
    const capped = aCampaign({ flows: [{ ...flow([earning(20_000), cashback(2)]), trigger: byFare, limits }] });

    expect(validateCampaign(capped, settings())).toEqual([]);
    expect(flowOf({ fare: 50 }, capped)?.actions).toMatchObject([{ points: 20 }, { cashbackCents: 50 }]);
  });

  it('is explained in points per dollar', () => {
    const lines = explain(decide({ fare: 12.34 })).map((line) => line.trim());
    expect(lines).toContain('It rewards the event’s amount of $12.34.');
    expect(lines).toContain('$12.34 × 2 points per dollar came to 24 points, rounded down.');
  });

  it('has a fault unless its amount field is a required number', () => {
    const faultsOf = (amountField: string) =>
      validateCampaign(
        aCampaign({ flows: [{ ...flow([earning(20_000)]), trigger: { ...trigger, amountField } }] }),
        settings(),
      );
    expect(faultsOf('fare')).toEqual([]);
    for (const field of ['tip', 'plan', 'unknown']) {
      expect(faultsOf(field)).toMatchObject([
        { pointer: '/flows/0/trigger/amountField', code: 'unknown_amount_field' },
      ]);
    }
  });
});

describe('the condition CUSTOM_NUMBER', () => {
  const moreThanTwo: Condition = {
    ...{ id: 71, ownerId: 2, attribute: 'CUSTOM_NUMBER', operator: 'GREATER_THAN', name: 'nights', value: 2 },
  };
  const holds = (...nights: string[]) => {
    const flows = [flow([earning(10_000)], { conditionGroups: [all(moreThanTwo)] })];
    const decision = evaluate(aCampaign({ flows }), facts({ attributes: nights.length > 0 ? { nights } : {} }));
    return decision.flows[0]?.result === 'REWARDED';
  };

  it.each([['3'], ['2.01'], ['1e3']])('with GREATER_THAN 2, holds for the number %s', (value) =>
    expect(holds(value)).toBe(true),
  );

  it.each([['2'], ['-3'], ['0x10'], [' 3'], ['three'], ['Infinity']])(
    'with GREATER_THAN 2, does not hold for %j',
    (value) => expect(holds(value)).toBe(false),
  );

  it('does not hold without a value or with several values', () => {
    expect(holds()).toBe(false);
    expect(holds('3', '4')).toBe(false);
  });

  it('has a fault if no number satisfies all conditions on the attribute', () => {
    const lessThan = (name: string, value: number): Condition => ({
      ...{ id: 72, ownerId: 2, attribute: 'CUSTOM_NUMBER', operator: 'LESS_THAN', name, value },
    });
    const faultsOf = (other: Condition) => {
      const flows = [flow([earning(10_000)], { conditionGroups: [all(moreThanTwo, other)] })];
      return validateCampaign(aCampaign({ flows }), settings()).map(({ message }) => message);
    };
    expect(faultsOf(lessThan('nights', 2))).toEqual(['Nothing is more than 2 and less than 2']);
    expect(faultsOf(lessThan('nights', 2.5))).toEqual([]);
    expect(faultsOf(lessThan('nights', -5))).toEqual(['Nothing is more than 2 and less than -5']);
    expect(faultsOf(lessThan('guests', -5))).toEqual([]);
  });
});

describe('the attributes of a purchase', () => {
  const member = aMember({ associations: [anAssociation({ attributes: { plan: ['yearly'] } })] });
  const factsOf = (context: Record<string, unknown>) =>
    gatherFacts(
      member,
      aMembership(),
      aPartnership(),
      awardRequestForOrder(anOrder({ attributes: attributesOfContext(context) })).event,
    );

  it('are among the facts of the decision about the purchase', () => {
    expect(factsOf({ channel: 'app', gift: true }).attributes).toEqual({
      plan: ['yearly'],
      channel: ['app'],
      gift: ['true'],
    });
  });

  it('never replace what the merchant reported about the member', () => {
    expect(factsOf({ plan: 'staff' }).attributes).toEqual({ plan: ['yearly'] });
  });
});
