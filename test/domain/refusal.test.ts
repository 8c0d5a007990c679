import { describe, expect, it } from 'vitest';
import { maximumBytes } from '../../shared/contracts/limits.ts';
import { reasonOfDecisions } from '../../shared/domain/award/finalization.ts';
import {
  RefusedAttempt,
  refusalReasonNames,
  refusedAttempt,
  statusOfRefusal,
} from '../../shared/domain/award/refusal.ts';
import type {
  ConditionOutcome,
  Decision,
  FlowOutcome,
  FlowResult,
  LimitOutcome,
} from '../../shared/domain/campaign/evaluation/decision.ts';
import { fc } from '../support/fast-check.ts';
import { facts, noon } from './fixtures.ts';

const aFlowOutcome = (result: FlowResult, more: Partial<FlowOutcome> = {}): FlowOutcome => ({
  ...{ flowId: 1, result, groups: [], multipliers: [], limits: [], actions: [] },
  ...more,
});

const aDecision = (flows: FlowOutcome[], refused: Decision['refused'] = null): Decision => ({
  ...{ campaignId: 5, campaignVersion: 3, facts: facts(), refused, flows },
});

const aCondition = (more: Partial<ConditionOutcome> = {}): ConditionOutcome => ({
  ...{ conditionId: 91, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', holds: false },
  ...{ actual: 4_000, needed: 5_000 },
  ...more,
});

const aLimit = (more: Partial<LimitOutcome> = {}): LimitOutcome => ({
  ...{ limitId: 50, kind: 'USER', bound: 'MAXIMUM', unit: 'EVENTS', amount: 5, period: '2026-03', used: 5 },
  ...{ effect: 'REFUSED', charge: 0 },
  ...more,
});

const request = {
  ...{ authenticationId: 'rwa_local_A', merchantId: 1, externalTransactionId: 'order-1', userId: 10 },
  ...{ amountCents: 4_000, refusedAt: noon.toISOString() },
  reason: 'not_qualified' as const,
};

describe('the reason of decisions that reward nothing', () => {
  it.each<[string, Decision[], string]>([
    ['is the result of the only flow', [aDecision([aFlowOutcome('BELOW_MINIMUM')])], 'below_minimum'],
    [
      'is the result that came closest to a reward when flows have several results',
      [aDecision([aFlowOutcome('OTHER_TRIGGER'), aFlowOutcome('LIMIT_REACHED'), aFlowOutcome('NOT_QUALIFIED')])],
      'limit_reached',
    ],
    [
      'is the result that came closest to a reward when campaigns have several results',
      [aDecision([aFlowOutcome('OTHER_TRIGGER')]), aDecision([aFlowOutcome('NOT_QUALIFIED')])],
      'not_qualified',
    ],
    [
      'is the refusal of the campaign when no flow was evaluated',
      [aDecision([], 'partnership_not_active')],
      'partnership_not_active',
    ],
    ['is nothing_earned when there is no flow', [aDecision([])], 'nothing_earned'],
    ['is nothing_earned when there is no decision', [], 'nothing_earned'],
  ])('%s', (_case, decisions, reason) => {
    expect(reasonOfDecisions(decisions)).toBe(reason);
  });

  it('exists for every flow result except REWARDED', () => {
    const results = ['OTHER_TRIGGER', 'NOT_QUALIFIED', 'BELOW_MINIMUM', 'ABOVE_MAXIMUM', 'LIMIT_REACHED'] as const;
    for (const result of [...results, 'NO_MULTIPLE', 'NO_MATCHING_ITEM', 'NO_AMOUNT', 'WORTH_NOTHING'] as const) {
      expect(reasonOfDecisions([aDecision([aFlowOutcome(result)])])).toBe(result.toLowerCase());
    }
    expect(reasonOfDecisions([aDecision([aFlowOutcome('REWARDED')])])).toBe('nothing_earned');
  });
});

describe('the status of a reason', () => {
  it('is ERROR except for five reasons of the specification', () => {
    const others = refusalReasonNames.filter((reason) => statusOfRefusal(reason) !== 'ERROR');
    expect(others.map((reason) => [reason, statusOfRefusal(reason)])).toEqual([
      ['user_not_linked', 'MEMBER_NOT_EXISTS'],
      ['member_blocked', 'MEMBER_NOT_EXISTS'],
      ['no_default_program', 'MEMBER_NOT_EXISTS'],
      ['user_does_not_exist', 'MEMBER_NOT_EXISTS'],
      ['insufficient_points', 'INSUFFICIENT_REWARDS_AMOUNT'],
    ]);
  });
});

describe('the record of a refused request', () => {
  it('contains only the refusing conditions and limits', () => {
    const held = aCondition({ conditionId: 92, holds: true });
    const groups = [
      { groupId: 90, logic: 'ALL', holds: false, conditions: [aCondition(), held] } as const,
      { groupId: 93, logic: 'ANY', holds: true, conditions: [aCondition({ conditionId: 94 })] } as const,
    ].map((group) => ({ ...group, conditions: [...group.conditions] }));
    const limits = [aLimit(), aLimit({ limitId: 51, effect: 'NONE' })];
    const { flows, ...rest } = refusedAttempt(request, aDecision([aFlowOutcome('NOT_QUALIFIED', { groups, limits })]));

    expect(rest).toEqual({ ...request, campaignId: 5, campaignVersion: 3 });
    const failed = {
      ...{ conditionId: 91, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', actual: 4_000, needed: 5_000 },
    };
    expect(flows).toEqual([{ flowId: 1, result: 'NOT_QUALIFIED', conditions: [failed], limits: [limits[0]] }]);
  });

  it('contains neither location nor attributes of the member', () => {
    const conditions = [
      aCondition({ attribute: 'GEOGRAPHY', operator: 'IS_IN', actual: 'US, Springfield', needed: ['CA'] }),
      aCondition({ attribute: 'CUSTOM', name: 'diet', operator: 'IS_IN', actual: ['vegan'], needed: ['any'] }),
    ];
    const flow = aFlowOutcome('NOT_QUALIFIED', {
      groups: [{ groupId: 90, logic: 'ANY', holds: false, conditions }],
    });
    const decision = aDecision([flow]);
    const location = { country: 'US', region: 'US-IL', city: 'Springfield' };
    const text = JSON.stringify(
      refusedAttempt(request, { ...decision, facts: facts({ location, attributes: { diet: ['vegan'] } }) }),
    );

    expect(text).not.toMatch(/Springfield|US-IL|vegan/);
    expect(text).toContain('"needed":["CA"]');
  });

  it('has no campaign when nothing was evaluated', () => {
    expect(refusedAttempt(request, undefined)).toEqual({ ...request, flows: [] });
  });

  it('fits into two write units, whatever it contains', () => {
    const texts = fc.string({ maxLength: 60, unit: 'binary' });
    const condition = fc.record({ needed: fc.array(texts, { maxLength: 3 }), name: texts }).map((one) => {
      return aCondition({ ...one, attribute: 'CUSTOM', operator: 'IS_IN', actual: null });
    });
    const flow = fc
      .record({ conditions: fc.array(condition, { maxLength: 6 }), limits: fc.nat({ max: 16 }) })
      .map(({ conditions, limits }) =>
        aFlowOutcome('NOT_QUALIFIED', {
          groups: [{ groupId: 90, logic: 'ALL', holds: false, conditions }],
          limits: Array.from({ length: limits }, () => aLimit()),
        }),
      );
    fc.assert(
      fc.property(fc.array(flow, { maxLength: 30 }), fc.string({ maxLength: 255 }), (flows, order) => {
        const attempt = refusedAttempt({ ...request, externalTransactionId: order }, aDecision(flows));

        expect(Buffer.byteLength(JSON.stringify(attempt))).toBeLessThanOrEqual(maximumBytes.refusedAttempt);
        expect(RefusedAttempt.parse(attempt)).toEqual(attempt);
        const isWhole = attempt.flows.length === flows.length && attempt.flows.every(hasAllOf(flows));
        expect(attempt.isShortened ?? false).toBe(!isWhole);
      }),
    );
  });
});

/**
 * Whether a recorded flow has all conditions and limits of the same flow in the decision. In these decisions, every
 * condition fails.
 */
const hasAllOf =
  (flows: readonly FlowOutcome[]) =>
  ({ conditions, limits }: RefusedAttempt['flows'][number], position: number) =>
    conditions.length === flows[position]?.groups[0]?.conditions.length &&
    limits.length === flows[position]?.limits.length;
