import { describe, expect, it } from 'vitest';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type { FlowOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { settings } from '../fixtures.ts';
import { Case, campaignOf, type FlowExpected, factsOfCase, sections, usageOfCase } from './case-file.ts';

/** The outcome of a flow in the fields of the case file. */
function toExpected({ result, actions, groups, multipliers, limits }: FlowOutcome) {
  return {
    result,
    actions: actions.map(({ points, cashbackCents, cappedFrom, transfer }) => ({
      points,
      cashbackCents,
      cappedFrom,
      transfer: transfer?.points ?? null,
    })),
    failed: groups
      .filter(({ holds }) => !holds)
      .flatMap(({ conditions }) => conditions.filter(({ holds }) => !holds))
      .map(({ attribute, actual, needed }) => ({ attribute, actual, needed })),
    multipliers: multipliers.map(({ matched }) => matched),
    limits: limits.map(({ effect, period, used, charge }) => ({ effect, period, used, charge })),
  };
}

/** Completes an expected outcome that has no list of actions. It gets one action, or none if no reward was computed. */
function wanted({ points, cashbackCents, cappedFrom, transfer, ...flow }: FlowExpected) {
  const isComeTo = flow.result === 'REWARDED' || flow.result === 'WORTH_NOTHING';
  return { ...flow, actions: flow.actions ?? (isComeTo ? [{ points, cashbackCents, cappedFrom, transfer }] : []) };
}

describe('cases.json', () => {
  const cases = sections.flatMap(({ about, cases: all }) => all.map((one) => ({ about, one })));

  describe.each(sections)('$about', ({ cases: all }) => {
    it.each(all)('$name', (one) => {
      const decision = evaluate(campaignOf(one), factsOfCase(one), usageOfCase(one));

      if ('refused' in one.expected) {
        expect(decision).toMatchObject({ refused: one.expected.refused, flows: [] });
        return;
      }
      const expected = 'flows' in one.expected ? one.expected.flows : [one.expected];
      expect(decision.refused).toBeNull();
      expect(decision.flows.map(toExpected)).toEqual(expected.map(wanted));
    });
  });

  it('contains no two cases with the same name', () => {
    const names = cases.map(({ about, one }) => `${about}: ${one.name}`);
    expect(names.filter((name, position) => names.indexOf(name) < position)).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(170);
  });

  it('contains only valid campaigns, except in cases that list faults', () => {
    const faultsOf = (one: Case) => validateCampaign(campaignOf(one), settings()).map(({ code }) => code);
    const faulty = cases.map(({ one }) => ({ name: one.name, faults: faultsOf(one), expected: one.faults }));
    expect(faulty.filter(({ faults, expected }) => faults.join() !== expected.join())).toEqual([]);
  });

  it.each([
    ['a case', { name: 'a', expected: { result: 'REWARDED' }, amountCents: 1 }],
    ['the facts', { name: 'a', facts: { amountCent: 1 }, expected: { result: 'REWARDED' } }],
    ['the campaign', { name: 'a', campaign: { typ: 'EARN' }, expected: { result: 'REWARDED' } }],
    ['a flow', { name: 'a', flow: { limit: [] }, expected: { result: 'REWARDED' } }],
    ['the expected outcome', { name: 'a', expected: { result: 'REWARDED', point: 1 } }],
    ['an expected limit', { name: 'a', expected: { result: 'REWARDED', limits: [{ effect: 'NONE', charged: 1 }] } }],
  ])('has a schema that refuses an unknown field in %s', (_where, written) => {
    expect(Case.safeParse(written).success).toBe(false);
  });

  it('cannot contain an unknown field in a campaign part', () => {
    const limits = [{ kind: 'TRANSACTION', bound: 'MAXIMUM', unit: 'POINTS', amounts: 1 }];
    const one = Case.parse({ name: 'a', flow: { limits }, expected: { result: 'REWARDED' } });
    expect(() => campaignOf(one)).toThrow('amounts');
  });
});
