import { describe, expect, it } from 'vitest';
import type { Campaign, Limit } from '../../../shared/domain/campaign/document/campaign.ts';
import { earning, redeeming } from '../fixtures.ts';
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
  perMember,
  perTransaction,
  points,
  registration,
} from './campaign-parts.ts';

describe('validateCampaign() for a valid campaign', () => {
  it.each<[string, Partial<Campaign>]>([
    ['a point per dollar', {}],
    ['an end after the start', { startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-03-01T00:00:00.001Z' }],
    ['two awards in one flow', { flows: [flow([earning(10_000, 1), cashback(2)])] }],
    [
      'the most actions and limits that one event may have',
      { flows: [flow(actions(16), { limits: memberLimits(16) })] },
    ],
    [
      'more actions than one event may have, if different triggers start them',
      { flows: [flow(actions(16)), flow([points(1)], { id: 11, ...registration })] },
    ],
    ['points for connecting', { flows: [flow([points(1)], registration)] }],
    ['two flows that earn', { flows: [earnFlow(), flow([points(2)], { id: 11, ...registration })] }],
    ['a payment with points', { type: 'REDEEM', flows: [flow([redeeming(10_000)])] }],
    ['a transfer', { type: 'TRANSFER', flows: [flow([moving()])] }],
    ['a transfer to the program of the partnership', { type: 'TRANSFER', flows: [flow([moving(2, 3)])] }],
    ['points for a trigger of the partnership', { flows: [custom(7)] }],
    [
      'a connect-only campaign',
      { type: 'CONNECT_ONLY', flows: [flow([], registration)], goals: [goal('REGISTRATIONS')] },
    ],
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
      'a minimum equal to the maximum',
      {
        flows: [earnFlow({ limits: [perTransaction('MINIMUM', 'POINTS', 100), perMember('POINTS', 100)] })],
      },
    ],
    [
      'a limit of each side for the same unit and period',
      {
        flows: [earnFlow({ limits: [perMember('POINTS', 100), { ...perMember('POINTS', 50, 96), ownerId: 1 }] })],
      },
    ],
    [
      'a limit per day and a limit per month',
      {
        flows: [
          earnFlow({
            limits: [perMember('POINTS', 100), { ...perMember('POINTS', 50, 96), period: 'MONTH' } as Limit],
          }),
        ],
      },
    ],
    [
      'conditions on countries and on cities with their states',
      {
        flows: [
          earnFlow({
            conditionGroups: [any(livesOutside('US', 'GB', 'Austin, TX', 'Washington, DC', 'San Juan, PR'))],
          }),
        ],
      },
    ],
    [
      'a condition on a basket between two amounts',
      {
        flows: [
          earnFlow({ conditionGroups: [all(basket('GREATER_THAN', 4_999, 71), basket('LESS_THAN', 5_001, 72))] }),
        ],
      },
    ],
    [
      'a condition on a basket below one amount or above another',
      {
        flows: [
          earnFlow({ conditionGroups: [any(basket('GREATER_THAN', 9_000, 71), basket('LESS_THAN', 5_000, 72))] }),
        ],
      },
    ],
    [
      'a condition on a time between one and two days',
      {
        flows: [earnFlow({ conditionGroups: [all(elapsed('GREATER_THAN', 1, 71), elapsed('LESS_THAN', 2, 72))] })],
      },
    ],
    ['goals that the campaign can reach', { goals: [goal('POINTS_EARNED'), goal('REGISTRATIONS', 81)] }],
  ])('finds no fault in %s', (_case, campaign) => {
    expect(faultsOf(campaign)).toEqual([]);
  });
});
