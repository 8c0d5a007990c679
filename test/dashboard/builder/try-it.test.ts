import { describe, expect, it } from 'vitest';
import { type TryContext, type TryInput, tryFile } from '../../../dashboard/src/builder/try-it.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';
import { noon, settings } from '../../domain/fixtures.ts';

const context: TryContext = {
  ...{ organisationId: 1, now: noon, settings: settings(), before: null },
  ...{ type: 'EARN', merchantId: 1, partnerId: 2, timeZone: 'America/New_York' },
  names: { tier: (id: number) => (id === 2 ? 'Gold' : undefined) },
};
const purchase: TryInput = {
  trigger: { type: 'SPEND' },
  amountCents: 4_250,
  transferPoints: null,
  numbers: {},
  tierId: 2,
  place: 'Austin, TX',
  attributes: { plan: 'yearly' },
  at: noon.toISOString(),
  connectedAt: null,
  totalSpendCents: 0,
  items: undefined,
};
const flow = {
  trigger: { type: 'SPEND' },
  actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
  conditionGroups: [{ conditions: [{ attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['Austin, TX'] }] }],
  multipliers: [{ attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2], factorBp: 15_000 }],
  limits: [{ kind: 'USER', unit: 'POINTS', amount: 100, period: 'MONTH' }],
};
const file = (...flows: object[]): Json => ({ type: 'EARN', name: 'Spring double', flows });

describe('tryFile()', () => {
  it('says what a flow gives, and why', () => {
    expect(tryFile(file(flow), purchase, context)).toEqual({
      kind: 'tried',
      flows: [
        {
          pointer: '/flows/0',
          gives: '100 points',
          result: 'rewarded',
          lines: [
            {
              text: 'The member lives in Austin, TX: it is “US”, “Austin, TX”',
              holds: true,
              pointer: '/flows/0/conditionGroups/0/conditions/0',
            },
            { text: 'Half as much again for Gold', holds: true, pointer: '/flows/0/multipliers/0' },
            {
              text: '$42.50 × 2 points per dollar × 1.5 came to 127 points, rounded down',
              holds: null,
              pointer: '/flows/0/actions/0',
            },
            { text: 'At most 100 points a month: makes it less', holds: false, pointer: '/flows/0/limits/0' },
          ],
        },
      ],
    });
  });

  it('says which condition does not hold', () => {
    expect(tryFile(file(flow), { ...purchase, place: 'ca' }, context)).toMatchObject({
      flows: [
        {
          gives: null,
          result: 'rewarded nothing, because its conditions did not hold',
          lines: [{ text: 'The member lives in Austin, TX: it is “Canada”', holds: false }],
        },
      ],
    });
  });

  it('rewards the amount in the context of an event', () => {
    const custom = {
      ...flow,
      trigger: { type: 'CUSTOM', customTriggerId: 7, amountField: 'fare' },
      conditionGroups: [],
    };
    const event = { ...purchase, trigger: { type: 'CUSTOM', customTriggerId: 7 }, amountCents: null } as const;
    expect(tryFile(file(custom), { ...event, numbers: { fare: 12.5 } }, context)).toMatchObject({
      flows: [{ gives: '37 points' }],
    });
    expect(tryFile(file(custom), event, context)).toMatchObject({ flows: [{ gives: null }] });
  });

  it('says that the campaign does not run at another time', () => {
    const before = { ...purchase, at: '2020-01-01T00:00:00.000Z' };
    expect(tryFile(file(flow), before, context)).toEqual({
      kind: 'refused',
      reason: 'the campaign was not running at that time',
    });
  });

  it('returns the faults of a draft that cannot run yet', () => {
    const half = { ...flow, actions: [{ kind: 'AWARD_POINTS' }] };
    expect(tryFile(file(half), purchase, context)).toMatchObject({ kind: 'faulty', faults: [{ code: 'no_rate' }] });
  });
});
