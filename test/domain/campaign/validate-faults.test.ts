import { describe, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { aMultiplier, earning, redeeming } from '../fixtures.ts';
import {
  actions,
  all,
  any,
  basket,
  cashback,
  custom,
  earnFlow,
  elapsed,
  faultsOf,
  flow,
  goal,
  livesOutside,
  memberLimits,
  moving,
  own,
  perMember,
  perTransaction,
  points,
  registration,
} from './campaign-parts.ts';

describe('validateCampaign()', () => {
  const anItemCondition = {
    ...({ ...own, id: 71, attribute: 'ITEM', operator: 'IS_IN' } as const),
    ...{ name: 'CATEGORY' as const, values: ['coffee'] },
  };
  const withCondition = (condition: typeof anItemCondition) => ({ conditionGroups: [all(condition)] });
  const redeemTwice = [flow([redeeming(10_000)]), flow([redeeming(10_000, 2)], { id: 11 })];

  const faulty: [Partial<Campaign>, string, string, string][] = [
    [
      { startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-03-01T00:00:00Z' },
      '/endsAt',
      'end_before_start',
      'The end has to be after the start',
    ],
    [{ flows: [] }, '/flows', 'no_flow', 'A campaign without a flow does nothing: add a flow'],
    [
      { type: 'REDEEM', flows: redeemTwice },
      '/flows/1',
      'unreachable_flow',
      'Flow 1 always takes the points: put flows without conditions, limits and steps last',
    ],
    [
      { type: 'REDEEM', flows: [flow([redeeming(10_000)], registration)] },
      '/flows/0/trigger',
      'trigger_of_other_type',
      'A REDEEM flow begins with SPEND, not with REGISTRATION',
    ],
    [
      { type: 'CONNECT_ONLY', flows: [flow([])] },
      '/flows/0/trigger',
      'trigger_of_other_type',
      'A CONNECT_ONLY flow begins with REGISTRATION, not with SPEND',
    ],
    [
      { flows: [flow([])] },
      '/flows/0/actions',
      'no_action',
      'Without an action the flow rewards nothing: add at least one',
    ],
    [
      { type: 'REDEEM', flows: [flow([redeeming(10_000), redeeming(5_000, 2)])] },
      '/flows/0/actions',
      'several_actions',
      'A REDEEM flow has one action that takes points: two would take points twice',
    ],
    [
      { type: 'REDEEM', flows: [flow([cashback(1)])] },
      '/flows/0/actions',
      'no_payment',
      'A REDEEM flow has one action that takes points: add it beside the cashback',
    ],
    [
      { flows: [flow([cashback(1)], { trigger: { type: 'CUSTOM', customTriggerId: 7, amountField: 'plan' } })] },
      '/flows/0/trigger/amountField',
      'unknown_amount_field',
      'Trigger 7 (signup_completed) has no required number plan in its context: it has the amounts fare',
    ],
    [
      { type: 'REDEEM', flows: [flow([redeeming(10_000)], withCondition(anItemCondition))] },
      '/flows/0/conditionGroups/0/conditions/0',
      'items_of_payment',
      'A payment is for the whole purchase: use CONTAINS_ITEM instead of ITEM',
    ],
    [
      { flows: [flow([points(1)], { ...registration, ...withCondition(anItemCondition) })] },
      '/flows/0/conditionGroups/0/conditions/0',
      'no_items',
      'Nothing is bought at REGISTRATION: no item can ever match',
    ],
    [
      { flows: [flow([redeeming(10_000)])] },
      '/flows/0/actions/0/kind',
      'action_of_other_type',
      'An EARN campaign has AWARD_POINTS or AWARD_CASHBACK, not REDEEM_POINTS',
    ],
    [
      { type: 'CONNECT_ONLY', flows: [flow([points(1)], registration)] },
      '/flows/0/actions/0/kind',
      'action_of_other_type',
      'A CONNECT_ONLY campaign has no actions, not AWARD_POINTS',
    ],
    [
      { type: 'CONNECT_ONLY', flows: [flow([], { ...registration, multipliers: [aMultiplier({ id: 31 })] })] },
      '/flows/0/multipliers',
      'nothing_to_multiply',
      'A CONNECT_ONLY campaign awards no points that could be multiplied: remove the multipliers',
    ],
    [
      {
        type: 'CONNECT_ONLY',
        flows: [flow([], { ...registration, limits: [perTransaction('MAXIMUM', 'POINTS', 1)] })],
      },
      '/flows/0/limits/0/unit',
      'no_points',
      'No action of the flow is about points: they cannot be limited',
    ],
    [
      {
        type: 'CONNECT_ONLY',
        flows: [flow([], { ...registration, conditionGroups: [any(elapsed('GREATER_THAN', 3, 71))] })],
      },
      '/flows/0/conditionGroups/0/conditions/0',
      'never_holds',
      'No time has passed since connecting when an account is linked',
    ],
    [
      {
        type: 'CONNECT_ONLY',
        flows: [
          flow([], {
            ...registration,
            conditionGroups: [
              any({ id: 71, ...own, attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 1 }),
            ],
          }),
        ],
      },
      '/flows/0/conditionGroups/0/conditions/0',
      'never_holds',
      'Nothing is spent before an account is linked',
    ],
    [
      { type: 'TRANSFER', flows: [flow([moving(2)])] },
      '/flows/0/actions/0/toPartnerId',
      'same_program',
      'Points have to move to another program than they come from',
    ],
    [
      { type: 'TRANSFER', flows: [flow([moving(4)])] },
      '/flows/0/actions/0/toPartnerId',
      'unknown_partner',
      'The merchant has no partnership with a partner 4',
    ],
    [
      { type: 'TRANSFER', flows: [flow([moving(2, 1)])] },
      '/flows/0/actions/0/fromPartnerId',
      'unknown_partner',
      'The merchant has no partnership with a partner 1',
    ],
    [
      { flows: [flow(actions(16)), flow(actions(1, 200), { id: 11 })] },
      '/flows',
      'too_many_actions',
      '17 actions begin at SPEND, at most 16 may',
    ],
    [
      { flows: [earnFlow({ limits: memberLimits(17) })] },
      '/flows',
      'too_many_limits',
      '17 limits of members count at SPEND, at most 16 may',
    ],
    [
      { flows: [custom(6)] },
      '/flows/0/trigger/customTriggerId',
      'unknown_trigger',
      'The partnership has no trigger 6: flows may begin with 7 (signup_completed)',
    ],
    [
      { flows: [custom(8)] },
      '/flows/0/trigger/customTriggerId',
      'inactive_trigger',
      'Trigger 8 (visited) is not active, so its events are refused: activate it first',
    ],
    [
      { flows: [custom(9)] },
      '/flows/0/trigger/customTriggerId',
      'referral_trigger',
      'Trigger 9 (friend_invited) reports referrals: the flow has to begin with REFERRAL, not with CUSTOM',
    ],
    [
      { type: 'CONNECT_ONLY', flows: [flow([], { trigger: { type: 'CUSTOM', customTriggerId: 6 } })] },
      '/flows/0/trigger',
      'trigger_of_other_type',
      'A CONNECT_ONLY flow begins with REGISTRATION, not with CUSTOM',
    ],
    [
      { flows: [flow([{ id: 1, ...own, kind: 'AWARD_POINTS' }])] },
      '/flows/0/actions/0/pointsPerDollarBp',
      'no_rate',
      'A purchase is rewarded by the dollar: pointsPerDollarBp is missing',
    ],
    [
      { flows: [flow([{ id: 1, ...own, kind: 'AWARD_CASHBACK' }], registration)] },
      '/flows/0/actions/0/centsPerEvent',
      'no_rate',
      'REGISTRATION is rewarded by the event: centsPerEvent is missing',
    ],
    [
      { flows: [flow([{ id: 1, ...own, kind: 'AWARD_POINTS', pointsPerDollarBp: 1, pointsPerEvent: 1 }])] },
      '/flows/0/actions/0/pointsPerEvent',
      'other_rate',
      'A purchase is rewarded by the dollar: remove pointsPerEvent, it would never count',
    ],
    [
      { flows: [flow([earning(0)])] },
      '/flows/0/actions/0/pointsPerDollarBp',
      'rate_of_zero',
      'A rate of 0 rewards nothing',
    ],
    [
      { flows: [earnFlow({ conditionGroups: [any(livesOutside('US', 'UK'))] })] },
      '/flows/0/conditionGroups/0/conditions/0/values/1',
      'unknown_place',
      'There is no country UK in ISO 3166: the United Kingdom is GB',
    ],
    [
      { flows: [earnFlow({ conditionGroups: [any(livesOutside('Toronto, ON'))] })] },
      '/flows/0/conditionGroups/0/conditions/0/values/0',
      'unknown_place',
      'There is no state ON of the United States: cities of other countries are not supported',
    ],
    [
      { flows: [flow([points(1)], { ...registration, conditionGroups: [any(basket('LESS_THAN', 100, 71))] })] },
      '/flows/0/conditionGroups/0/conditions/0',
      'no_basket',
      'Nothing is bought at REGISTRATION: a basket size can never hold',
    ],
    [
      { type: 'TRANSFER', flows: [flow([moving()], { conditionGroups: [any(basket('LESS_THAN', 100, 71))] })] },
      '/flows/0/conditionGroups/0/conditions/0',
      'no_basket',
      'Nothing is bought by a transfer: a basket size can never hold',
    ],
    [
      {
        flows: [
          earnFlow({ conditionGroups: [all(basket('LESS_THAN', 5_001, 71), basket('GREATER_THAN', 5_000, 72))] }),
        ],
      },
      '/flows/0/conditionGroups/0/conditions/0',
      'never_holds',
      'Nothing is more than 5000 and less than 5001 cents',
    ],
    [
      {
        flows: [
          earnFlow({
            conditionGroups: [any(elapsed('GREATER_THAN', 30, 71)), { ...any(elapsed('LESS_THAN', 30, 72)), id: 73 }],
          }),
        ],
      },
      '/flows/0/conditionGroups/1/conditions/0',
      'never_holds',
      'Nothing is more than 30 and less than 30 days',
    ],
    [
      { flows: [earnFlow({ conditionGroups: [any(basket('LESS_THAN', 0, 71))] })] },
      '/flows/0/conditionGroups/0/conditions/0',
      'never_holds',
      'Nothing is less than 0 cents',
    ],
    [
      { flows: [flow([points(1)], { ...registration, limits: [perTransaction('MAXIMUM', 'DOLLARS', 1)] })] },
      '/flows/0/limits/0/unit',
      'no_dollars',
      'Nothing is spent at REGISTRATION: dollars cannot be limited',
    ],
    [
      { type: 'TRANSFER', flows: [flow([moving()], { limits: [perTransaction('MAXIMUM', 'DOLLARS', 1)] })] },
      '/flows/0/limits/0/unit',
      'no_dollars',
      'Nothing is spent by a transfer: dollars cannot be limited',
    ],
    [
      { flows: [flow([cashback(1)], { limits: [perMember('POINTS', 1)] })] },
      '/flows/0/limits/0/unit',
      'no_points',
      'No action of the flow is about points: they cannot be limited',
    ],
    [
      { flows: [earnFlow({ limits: [perMember('EVENTS', 0)] })] },
      '/flows/0/limits/0/amount',
      'maximum_of_zero',
      'A maximum of 0 rewards no member',
    ],
    [
      { flows: [earnFlow({ limits: [perMember('POINTS', 199), perTransaction('MINIMUM', 'POINTS', 200)] })] },
      '/flows/0/limits/1/amount',
      'minimum_above_maximum',
      'The minimum of 200 is above the maximum of 199',
    ],
    [
      { flows: [earnFlow({ limits: [perMember('EVENTS', 1), perMember('EVENTS', 2, 96)] })] },
      '/flows/0/limits/1',
      'repeated_limit',
      'An earlier limit of the flow limits the same: keep one of them',
    ],
    [
      { goals: [goal('POINTS_REDEEMED')] },
      '/goals/0/type',
      'goal_of_other_type',
      'An EARN campaign cannot reach a goal of POINTS_REDEEMED',
    ],
    [
      { flows: [earnFlow({ multipliers: [aMultiplier({ id: 1 })] })] },
      '/flows/0/multipliers/0/id',
      'repeated_id',
      '/flows/0/actions/0 has the id 1 already',
    ],
  ];

  it.each(faulty.map(([campaign, pointer, code, message]) => ({ campaign, pointer, code, message })))(
    'returns the fault $code at $pointer with the message "$message"',
    ({ campaign, ...fault }) => {
      expect(faultsOf(campaign)).toEqual([fault]);
    },
  );

  it('returns a fault for cashback that the partnership does not allow', () => {
    expect(faultsOf({ flows: [flow([cashback(1)])] }, { allowsCashback: false })).toEqual([
      {
        pointer: '/flows/0/actions/0/kind',
        code: 'cashback_not_enabled',
        message: 'The partnership does not allow cashback: enable it there first',
      },
    ]);
  });

  it('returns a fault for a transfer between programs of other partners', () => {
    const transfer = (...partnerIds: [number, number]) =>
      faultsOf(
        { type: 'TRANSFER', flows: [flow([moving(...partnerIds)])] },
        { partnerId: 2, programs: new Set([3, 4]) },
      );

    expect(transfer(3, 4)).toEqual([
      {
        pointer: '/flows/0/actions/0',
        code: 'foreign_programs',
        message: "Points have to come from the program of the partnership's partner, 2, or move to it",
      },
    ]);
    expect(transfer(3, 5).map(({ code }) => code)).toEqual(['foreign_programs', 'unknown_partner']);
  });

  it('returns a fault for a trigger that the partnership does not have', () => {
    expect(faultsOf({ flows: [custom(7)] }, { triggers: [] })).toMatchObject([
      { code: 'unknown_trigger', message: 'The partnership has no trigger 7: make it first' },
    ]);
  });

  it('returns a fault for each id that is used twice', () => {
    const group = { id: 10, logic: 'ANY' as const, conditions: [elapsed('LESS_THAN', 3, 80)] };
    const flows = [earnFlow(), earnFlow({ id: 1, conditionGroups: [group] })];

    expect(faultsOf({ flows, goals: [goal('POINTS_EARNED', 80)] }).map(({ pointer }) => pointer)).toEqual([
      '/flows/0/actions/0/id',
      '/flows/1/actions/0/id',
      '/flows/1/conditionGroups/0/id',
      '/goals/0/id',
    ]);
  });

  it('returns all faults, sorted like the document', () => {
    const faulty: Partial<Campaign> = {
      endsAt: '2020-01-01T00:00:00Z',
      flows: [
        flow([redeeming(10_000), cashback(2), earning(0, 3)], {
          conditionGroups: [all(basket('LESS_THAN', 0, 71))],
          limits: [perTransaction('MAXIMUM', 'DOLLARS', 0), perTransaction('MINIMUM', 'DOLLARS', 1, 92)],
        }),
        flow([], { ...registration, limits: [perTransaction('MAXIMUM', 'DOLLARS', 1, 93)] }),
      ],
      goals: [goal('POINTS_REDEEMED')],
    };

    expect(faultsOf(faulty, { allowsCashback: false }).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/endsAt end_before_start',
      '/flows/0/actions/0/kind action_of_other_type',
      '/flows/0/actions/1/kind cashback_not_enabled',
      '/flows/0/actions/2/pointsPerDollarBp rate_of_zero',
      '/flows/0/conditionGroups/0/conditions/0 never_holds',
      '/flows/0/limits/0/amount maximum_of_zero',
      '/flows/0/limits/1/amount minimum_above_maximum',
      '/flows/1/actions no_action',
      '/flows/1/limits/0/unit no_dollars',
      '/goals/0/type goal_of_other_type',
      '/flows/1/id repeated_id',
    ]);
  });
});
