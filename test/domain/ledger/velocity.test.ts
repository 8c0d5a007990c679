import { describe, expect, it } from 'vitest';
import { movementTable } from '../../../shared/domain/ledger/movement-table.ts';
import { isReviewable } from '../../../shared/domain/ledger/reward-transaction.ts';
import { breachesOf, isCounted, neededRoom, withoutRule, withRule } from '../../../shared/domain/ledger/velocity.ts';
import type { VelocityRule } from '../../../shared/domain/organisation.ts';
import { aTransaction } from '../fixtures.ts';

const rewardsPerDay: VelocityRule = { unit: 'REWARDS', window: 'DAY', most: 3 };
const pointsPerHour: VelocityRule = { unit: 'POINTS', window: 'HOUR', most: 500 };
const rewardsPerWeek: VelocityRule = { unit: 'REWARDS', window: 'WEEK', most: 10 };

describe('neededRoom()', () => {
  it('counts one reward, or its points, in the UTC window of each rule', () => {
    const transaction = aTransaction({ points: 120, createdAt: '2026-01-01T23:59:59.999Z' });
    expect(neededRoom([rewardsPerDay, pointsPerHour, rewardsPerWeek], transaction)).toEqual([
      { rule: 'REWARDS_PER_DAY', window: '2026-01-01', amount: 1, most: 3 },
      { rule: 'POINTS_PER_HOUR', window: '2026-01-01T23', amount: 120, most: 500 },
      { rule: 'REWARDS_PER_WEEK', window: '2026-W01', amount: 1, most: 10 },
    ]);
  });

  it('measures one reward without a counter, in points or in cents', () => {
    const rules: VelocityRule[] = [
      { unit: 'POINTS', window: 'REWARD', most: 100 },
      { unit: 'CENTS', window: 'REWARD', most: 50 },
    ];
    const points = neededRoom(rules, aTransaction({ points: 101 }));
    const cents = neededRoom(rules, aTransaction({ points: 0, cashbackCents: 51 }));
    expect([points, cents]).toEqual([
      [{ rule: 'POINTS_PER_REWARD', window: 'REWARD', amount: 101, most: 100 }],
      [{ rule: 'CENTS_PER_REWARD', window: 'REWARD', amount: 51, most: 50 }],
    ]);
    expect([...points, ...cents].some(isCounted)).toBe(false);
    expect(breachesOf([...points, ...cents], () => 0)).toHaveLength(2);
  });

  it('counts cashback as one reward and as zero points', () => {
    const cashback = aTransaction({ points: 0, cashbackCents: 300, createdAt: '2026-01-01T12:00:00.000Z' });
    expect(neededRoom([rewardsPerDay, pointsPerHour], cashback).map(({ rule }) => rule)).toEqual(['REWARDS_PER_DAY']);
  });
});

describe('breachesOf()', () => {
  const needed = neededRoom([rewardsPerDay, pointsPerHour], aTransaction({ points: 100 }));

  it.each([
    ['no rule when every rule has room for the reward', 2, 400, []],
    ['the rule whose maximum is used up', 3, 400, ['REWARDS_PER_DAY']],
    ['every rule without room for the reward', 3, 401, ['REWARDS_PER_DAY', 'POINTS_PER_HOUR']],
  ])('returns %s', (_, rewards, points, expected) => {
    const usedOf = ({ rule }: { rule: string }) => (rule === 'REWARDS_PER_DAY' ? rewards : points);
    expect(breachesOf(needed, usedOf).map(({ rule }) => rule)).toEqual(expected);
  });

  it('returns a rule when a single reward exceeds the maximum of the rule', () => {
    const large = neededRoom([pointsPerHour], aTransaction({ points: 501 }));
    expect(breachesOf(large, () => 0)).toMatchObject([{ rule: 'POINTS_PER_HOUR', amount: 501, used: 0, most: 500 }]);
  });
});

describe('the rules of a program', () => {
  it('have one maximum for each unit and window', () => {
    const rules = withRule(withRule([rewardsPerDay], pointsPerHour), { ...rewardsPerDay, most: 9 });
    expect(rules).toEqual([pointsPerHour, { ...rewardsPerDay, most: 9 }]);
    expect(withoutRule(rules, { unit: 'REWARDS', window: 'DAY' })).toEqual([pointsPerHour]);
  });
});

describe('isReviewable()', () => {
  it('is true for an award, not for a payment or reversal', () => {
    expect(isReviewable(aTransaction())).toBe(true);
    expect(isReviewable(aTransaction({ type: 'REDEEM' }))).toBe(false);
    expect(isReviewable(aTransaction({ otherLegId: 7 }))).toBe(false);
    expect(isReviewable(aTransaction({ reverses: { id: 1, uuid: 'original', refundUuid: 'refund' } }))).toBe(false);
  });
});

describe('the movement table', () => {
  it('makes the same movements for refused and for rejected rewards', () => {
    expect(movementTable.refuse.EARN).toEqual(movementTable.fail.EARN);
    expect(movementTable.refuse.to).toBe(movementTable.fail.to);
  });
});
