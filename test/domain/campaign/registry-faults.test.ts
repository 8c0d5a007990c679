import { describe, expect, it } from 'vitest';
import { findUsedEntries } from '../../../shared/domain/campaign/authoring/registry-faults.ts';
import type { Condition, Flow, Multiplier } from '../../../shared/domain/campaign/document/campaign.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { aCampaign, aMultiplier, facts, settings } from '../fixtures.ts';
import { all, any, custom, earnFlow, faultsOf, flow, own, points, registration } from './campaign-parts.ts';

const attribute = (name: string, ...values: string[]): Condition => ({
  ...{ id: 71, ...own, attribute: 'CUSTOM', operator: 'IS_NOT_IN', name },
  values: values.length > 0 ? values : ['x'],
});
const status = (...statusTierIds: number[]): Condition => ({
  ...{ id: 72, ...own, attribute: 'CUSTOMER_STATUS', operator: 'IS_NOT_IN' },
  statusTierIds,
});
const variable = (name: string, ...values: string[]): Multiplier => ({
  ...{ id: 61, ...own, attribute: 'VARIABLE', operator: 'IS_IN', name, factorBp: 20_000 },
  values,
});
const known = settings({
  attributes: [
    { name: 'plan', type: 'text', values: ['free', 'gold'] },
    { name: 'vip', type: 'boolean', values: null },
  ],
  tiers: [
    { id: 1, name: 'Silver', order: 1 },
    { id: 2, name: 'Gold', order: 2 },
  ],
});
const found = (more: Partial<Flow>, base: Flow = earnFlow()) => faultsOf({ flows: [{ ...base, ...more }] }, known);

describe('a campaign with registry references', () => {
  it.each<[string, Partial<Flow>]>([
    ['a registered attribute with its values', { conditionGroups: [any(attribute('plan', 'gold'))] }],
    ['a registered attribute with values of its type', { multipliers: [variable('vip', 'true', 'false')] }],
    ['registered tiers', { conditionGroups: [all(status(1, 2))], multipliers: [aMultiplier({ id: 60 })] }],
  ])('has no fault for %s', (_case, more) => {
    expect(found(more)).toEqual([]);
  });

  it('has a fault for each unregistered attribute, value and tier', () => {
    const faults = found({
      conditionGroups: [all(attribute('plann'), status(2, 9))],
      multipliers: [variable('plan', 'gold', 'golf'), aMultiplier({ id: 60, statusTierIds: [7] })],
    });
    expect(faults).toEqual([
      {
        pointer: '/flows/0/multipliers/0/values/1',
        code: 'unknown_value',
        message: 'The attribute plan cannot be “golf”: it has to be one of free, gold',
      },
      {
        pointer: '/flows/0/multipliers/1/statusTierIds/0',
        code: 'unknown_tier',
        message: 'The partner has no status tier 7: its registry has 1 (Silver), 2 (Gold)',
      },
      {
        pointer: '/flows/0/conditionGroups/0/conditions/0/name',
        code: 'unknown_attribute',
        message: 'There is no attribute plann: the merchant’s registry and the trigger have plan, vip',
      },
      {
        pointer: '/flows/0/conditionGroups/0/conditions/1/statusTierIds/1',
        code: 'unknown_tier',
        message: 'The partner has no status tier 9: its registry has 1 (Silver), 2 (Gold)',
      },
    ]);
  });

  it('may also refer to a field of its trigger', () => {
    const seats = (value: string) => ({ conditionGroups: [any(attribute('seats', value))] });
    expect(found(seats('3'), custom(7))).toEqual([]);
    expect(found(seats('many'), custom(7))).toMatchObject([{ code: 'unknown_value' }]);
    const referral = flow([points(1)], { trigger: { type: 'REFERRAL' } });
    expect(found(seats('3'), referral)).toEqual([]);
    expect(found(seats('3'))).toMatchObject([{ code: 'unknown_attribute' }]);
    expect(found(seats('3'), flow([points(1)], registration))).toMatchObject([{ code: 'unknown_attribute' }]);
  });

  it('uses registry entries, but none for a field of its trigger', () => {
    const flows = [
      earnFlow({ conditionGroups: [any(attribute('plan'), status(2))] }),
      { ...custom(7), conditionGroups: [any(attribute('seats', '3'))] },
    ];
    expect(findUsedEntries(flows, known)).toEqual({ attributes: new Set(['plan']), tierIds: new Set([2]) });
    expect(findUsedEntries([earnFlow()], known)).toEqual({ attributes: new Set(), tierIds: new Set() });
  });
});

describe('a condition on the status tier 2', () => {
  it.each([
    [2, 'IS_IN', true],
    [1, 'IS_IN', false],
    [null, 'IS_IN', false],
    [2, 'IS_NOT_IN', false],
    [null, 'IS_NOT_IN', true],
  ] as const)('for a member of tier %s and the operator %s, evaluates to %s', (statusTierId, operator, holds) => {
    const condition: Condition = { id: 72, ...own, attribute: 'CUSTOMER_STATUS', operator, statusTierIds: [2] };
    const campaign = aCampaign({ flows: [earnFlow({ conditionGroups: [any(condition)] })] });
    const [outcome] = evaluate(campaign, facts({ statusTierId })).flows;
    expect(outcome?.groups[0]?.conditions).toMatchObject([
      { holds, actual: statusTierId === null ? [] : [String(statusTierId)], needed: ['2'] },
    ]);
  });
});
