import { describe, expect, it } from 'vitest';
import { type LockContext, lockOf } from '../../../dashboard/src/builder/locks.ts';
import type { Json } from '../../../shared/domain/campaign/document/tree.ts';

const merchant: LockContext = {
  organisationId: 1,
  nameOf: (id) => (id === 2 ? 'Skyline Miles' : `organisation ${id}`),
  live: null,
};
const file: Json = {
  type: 'EARN',
  flows: [
    {
      trigger: { type: 'SPEND' },
      actions: [{ ownerId: 2, kind: 'AWARD_POINTS' }, { kind: 'AWARD_CASHBACK' }],
      conditionGroups: [{ conditions: [{ ownerId: 2 }, { ownerId: 1 }] }, { conditions: [{ ownerId: 1 }] }],
      limits: [{ ownerId: 1, amount: 5 }],
    },
    { trigger: { type: 'REFERRAL' }, actions: [{ ownerId: 1 }] },
  ],
  goals: [{ ownerId: 2, target: 5 }],
};
const theirs = 'This belongs to Skyline Miles. Only they can change it.';
const depends = 'A part of Skyline Miles depends on it.';

describe('lockOf()', () => {
  it.each([
    ['/flows/0/actions/0', theirs],
    ['/flows/0/actions/0/pointsPerDollarBp', theirs],
    ['/flows/0/conditionGroups/0/conditions/0', theirs],
    ['/goals/0/target', theirs],
    ['/flows/0', depends],
    ['/flows/0/trigger', depends],
    ['/flows/0/trigger/customTriggerId', depends],
    ['/flows/0/reevaluateOnRefund', depends],
    ['/flows/0/conditionGroups/0/logic', depends],
    ['/flows/0/conditionGroups/0', depends],
    ['/flows/0/actions/1', undefined],
    ['/flows/0/actions', undefined],
    ['/flows/0/conditionGroups', undefined],
    ['/flows/0/conditionGroups/0/conditions', undefined],
    ['/flows/0/conditionGroups/0/conditions/1/values', undefined],
    ['/flows/0/conditionGroups/1', undefined],
    ['/flows/0/limits/0/amount', undefined],
    ['/flows/1', undefined],
    ['/flows/1/trigger', undefined],
    ['/name', undefined],
    ['/type', undefined],
  ])('locks what the server would refuse: %s', (pointer, reason) => {
    expect(lockOf(file, pointer, merchant)).toBe(reason);
  });

  it('locks the type of a live campaign, and the start of one that has begun', () => {
    const live = (hasBegun: boolean) => ({ ...merchant, live: { hasBegun } });
    expect(lockOf(file, '/type', live(false))).toMatch(/stays/);
    expect(lockOf(file, '/startsAt', live(false))).toBeUndefined();
    expect(lockOf(file, '/startsAt', live(true))).toMatch(/has begun/);
  });
});
