import { describe, expect, it } from 'vitest';
import { validateCampaign } from '../../../shared/domain/campaign/authoring/validate.ts';
import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Action, Condition, Goal, Limit } from '../../../shared/domain/campaign/document/parts.ts';
import { periods } from '../../../shared/domain/period.ts';
import { aCampaign, aFlow, aMultiplier, earning, redeeming, settings } from '../fixtures.ts';

const own = { ownerId: 2 };
const points = (id: number, pointsPerEvent = 500): Action => ({ id, ...own, kind: 'AWARD_POINTS', pointsPerEvent });
const cashback = (id: number): Action => ({ id, ...own, kind: 'AWARD_CASHBACK', shareBp: 500 });
const moving = (toPartnerId = 3, fromPartnerId = 2): Action => ({
  id: 1,
  ...own,
  kind: 'TRANSFER_POINTS',
  fromPartnerId,
  toPartnerId,
  conversionRateBp: 10_000,
  increment: 1_000,
});
const basket = (operator: 'GREATER_THAN' | 'LESS_THAN', amountCents: number, id: number): Condition => ({
  id,
  ...own,
  attribute: 'BASKET_SIZE',
  operator,
  amountCents,
});
const elapsed = (operator: 'GREATER_THAN' | 'LESS_THAN', days: number, id: number): Condition => ({
  id,
  ...own,
  attribute: 'TIME_ELAPSED',
  operator,
  days,
});
const lives = (...values: string[]): Condition => ({
  id: 71,
  ...own,
  attribute: 'GEOGRAPHY',
  operator: 'IS_NOT_IN',
  values,
});
const perTransaction = (bound: 'MINIMUM' | 'MAXIMUM', unit: 'POINTS' | 'DOLLARS', amount: number, id = 91): Limit => ({
  id,
  ...own,
  kind: 'TRANSACTION',
  bound,
  unit,
  amount,
});
const perMember = (unit: 'EVENTS' | 'POINTS', amount: number, id = 95): Limit => ({
  id,
  ...own,
  kind: 'USER',
  bound: 'MAXIMUM',
  unit,
  amount,
  period: 'DAY',
});
const goal = (type: Goal['type'], id = 80): Goal => ({ id, ...own, type, target: 1_000 });

/** Flows numbered from 10, so their ids differ from those of other parts. */
const flow = (actions: Action[], more: Partial<Flow> = {}): Flow => ({ ...aFlow(actions, [], 10), ...more });
const earnFlow = (more: Partial<Flow> = {}) => flow([earning(10_000)], more);
const all = (...conditions: Condition[]) => ({ id: 70, logic: 'ALL' as const, conditions });
const any = (...conditions: Condition[]) => ({ id: 70, logic: 'ANY' as const, conditions });
const registration = { trigger: { type: 'REGISTRATION' } } as const;

/** Creates a number of actions, and a number of member limits by side, unit and period. */
const actions = (count: number, from = 100) => Array.from({ length: count }, (_, more) => earning(10_000, from + more));
const memberLimits = (count: number): Limit[] =>
  [1, 2]
    .flatMap((ownerId) => periods.map((period) => ({ ownerId, period })))
    .flatMap((of) => [perMember('EVENTS', 1), perMember('POINTS', 1)].map((limit) => ({ ...limit, ...of }) as Limit))
    .slice(0, count)
    .map((limit, more) => ({ ...limit, id: 400 + more }));

const custom = (customTriggerId: number) => flow([points(1)], { trigger: { type: 'CUSTOM', customTriggerId } });

const faultsOf = (campaign: Partial<Campaign>, known: Parameters<typeof settings>[0] = {}) =>
  validateCampaign(aCampaign({ flows: [earnFlow()], ...campaign }), settings(known));

describe('validateCampaign accepts', () => {
  it.each<[string, Partial<Campaign>]>([
    ['a point per dollar', {}],
    ['an end after the start', { startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-03-01T00:00:00.001Z' }],
    ['two awards in a flow', { flows: [flow([earning(10_000, 1), cashback(2)])] }],
    [
      'the most actions and limits that one event may have',
      { flows: [flow(actions(16), { limits: memberLimits(16) })] },
    ],
    [
      'more actions across several events',
      { flows: [flow(actions(16)), flow([points(1)], { id: 11, ...registration })] },
    ],
    ['points for connecting', { flows: [flow([points(1)], registration)] }],
    ['two flows that earn', { flows: [earnFlow(), flow([points(2)], { id: 11, ...registration })] }],
    ['paying with points', { type: 'REDEEM', flows: [flow([redeeming(10_000)])] }],
    ['a transfer', { type: 'TRANSFER', flows: [flow([moving()])] }],
    ['a transfer the other way', { type: 'TRANSFER', flows: [flow([moving(2, 3)])] }],
    ['points for a trigger of the partnership', { flows: [custom(7)] }],
    ['connecting only', { type: 'CONNECT_ONLY', flows: [flow([], registration)], goals: [goal('REGISTRATIONS')] }],
    [
      'a minimum below a maximum',
      {
        flows: [
          earnFlow({
            limits: [perTransaction('MINIMUM', 'DOLLARS', 100), perTransaction('MAXIMUM', 'DOLLARS', 200, 92)],
          }),
        ],
      },
    ],
    [
      'a minimum that is the maximum',
      {
        flows: [earnFlow({ limits: [perTransaction('MINIMUM', 'POINTS', 100), perMember('POINTS', 100)] })],
      },
    ],
    [
      'the same limit of each side',
      {
        flows: [earnFlow({ limits: [perMember('POINTS', 100), { ...perMember('POINTS', 50, 96), ownerId: 1 }] })],
      },
    ],
    [
      'the same limit by the day and by the month',
      {
        flows: [
          earnFlow({
            limits: [perMember('POINTS', 100), { ...perMember('POINTS', 50, 96), period: 'MONTH' } as Limit],
          }),
        ],
      },
    ],
    [
      'countries, and cities with their states',
      {
        flows: [
          earnFlow({ conditionGroups: [any(lives('US', 'GB', 'Austin, TX', 'Washington, DC', 'San Juan, PR'))] }),
        ],
      },
    ],
    [
      'a basket between two amounts',
      {
        flows: [
          earnFlow({ conditionGroups: [all(basket('GREATER_THAN', 4_999, 71), basket('LESS_THAN', 5_001, 72))] }),
        ],
      },
    ],
    [
      'a basket outside of two amounts',
      {
        flows: [
          earnFlow({ conditionGroups: [any(basket('GREATER_THAN', 9_000, 71), basket('LESS_THAN', 5_000, 72))] }),
        ],
      },
    ],
    [
      'between one day and two',
      {
        flows: [earnFlow({ conditionGroups: [all(elapsed('GREATER_THAN', 1, 71), elapsed('LESS_THAN', 2, 72))] })],
      },
    ],
    ['goals that it can reach', { goals: [goal('POINTS_EARNED'), goal('REGISTRATIONS', 81)] }],
  ])('%s', (_case, campaign) => {
    expect(faultsOf(campaign)).toEqual([]);
  });
});

describe('validateCampaign reports', () => {
  const redeemTwice = [flow([redeeming(10_000)]), flow([redeeming(10_000, 2)], { id: 11 })];

  const faulty: [Partial<Campaign>, string, string, string][] = [
    [
      { startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-03-01T00:00:00Z' },
      '/endsAt',
      'end_before_start',
      'The end has to be after the start, 2026-03-01T00:00:00Z',
    ],
    [{ flows: [] }, '/flows', 'no_flow', 'A campaign without a flow does nothing: add a flow'],
    [
      { type: 'REDEEM', flows: redeemTwice },
      '/flows',
      'several_flows',
      'A REDEEM campaign has one flow: two would take points twice',
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
      'A REDEEM flow has one action: two would take points twice',
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
      { flows: [earnFlow({ conditionGroups: [any(lives('US', 'UK'))] })] },
      '/flows/0/conditionGroups/0/conditions/0/values/1',
      'unknown_place',
      'There is no country UK in ISO 3166: the United Kingdom is GB',
    ],
    [
      { flows: [earnFlow({ conditionGroups: [any(lives('Toronto, ON'))] })] },
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
    '$code at $pointer: $message',
    ({ campaign, ...fault }) => {
      expect(faultsOf(campaign)).toEqual([fault]);
    },
  );

  it('cashback where the partnership does not allow it', () => {
    expect(faultsOf({ flows: [flow([cashback(1)])] }, { allowsCashback: false })).toEqual([
      {
        pointer: '/flows/0/actions/0/kind',
        code: 'cashback_not_enabled',
        message: 'The partnership does not allow cashback: enable it there first',
      },
    ]);
  });

  it('a transfer between programs of other partners, known or unknown', () => {
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

  it('an unknown trigger of a partnership without usable triggers', () => {
    expect(faultsOf({ flows: [custom(7)] }, { triggers: [] })).toMatchObject([
      { code: 'unknown_trigger', message: 'The partnership has no trigger 7: make it first' },
    ]);
  });

  it('ids that repeat across flows, groups and goals', () => {
    const group = { id: 10, logic: 'ANY' as const, conditions: [elapsed('LESS_THAN', 3, 80)] };
    const flows = [earnFlow(), earnFlow({ id: 1, conditionGroups: [group] })];

    expect(faultsOf({ flows, goals: [goal('POINTS_EARNED', 80)] }).map(({ pointer }) => pointer)).toEqual([
      '/flows/0/actions/0/id',
      '/flows/1/actions/0/id',
      '/flows/1/conditionGroups/0/id',
      '/goals/0/id',
    ]);
  });
});

it('every fault of a document, in the order of the document', () => {
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
