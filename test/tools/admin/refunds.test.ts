import { describe, expect, it } from 'vitest';
import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { refundLines, reversalLines } from '../../../tools/admin/explain/refunds.ts';
import { aTransaction } from '../../domain/fixtures.ts';

const refunds = (more: Partial<Refunds>): Refunds => ({
  revision: 1,
  refundedCents: 5_000,
  points: 30,
  cashbackCents: 0,
  pendingReversals: 0,
  returned: [],
  waiting: [],
  ...more,
});
const original = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 7, state: 'COMPLETED', amountCents: 10_000, points: 300, refunds: refunds({}), ...more });
const reverses = { id: 7, uuid: 'the original', refundUuid: 'the refund' };
const reversal = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 8, state: 'COMPLETED', amountCents: 5_000, points: 30, reverses, ...more });

describe('refundLines()', () => {
  it('returns no line for a transaction without a refund', () => {
    const { refunds: _, ...untouched } = original();

    expect(refundLines(untouched)).toEqual([]);
  });

  it.each<[string, Partial<RewardTransaction>, string]>([
    ['points', {}, 'reversed 30 points and left 270 points.'],
    ['the whole reward', { points: 30 }, 'reversed 30 points and left nothing.'],
    ['nothing', { refunds: refunds({ points: 0 }) }, 'reversed nothing and left 300 points.'],
    [
      'money',
      { points: 0, cashbackCents: 999, refunds: refunds({ points: 0, cashbackCents: 100 }) },
      'reversed $1.00 of cashback and left $8.99 of cashback.',
    ],
    ['a redemption', { type: 'REDEEM' }, 'returned 30 points and left 270 points.'],
  ])('describes a refund of %s', (_, more, effect) => {
    expect(refundLines(original(more))).toEqual([`Refunds of $50.00 in total, from a payment of $100.00, ${effect}`]);
  });

  it('lists every reversal and refund that is not final', () => {
    const waiting = [{ refundedUuid: 'an order', receivedUntil: '2026-03-08T12:00:00.000Z' }];

    expect(refundLines(original({ refunds: refunds({ pendingReversals: 2, waiting }) })).slice(1)).toEqual([
      'The program has yet to confirm 2 reversals of these.',
      'More refunds, not counted here, wait for the program’s answer to the transaction.',
    ]);
  });
});

describe('reversalLines()', () => {
  it.each<[string, Partial<RewardTransaction>, string]>([
    ['that is confirmed', {}, 'reversed 30 points'],
    ['that is not confirmed yet', { state: 'PENDING' }, 'is to reverse 30 points'],
    ['that the program rejected', { state: 'FAILED' }, 'was to reverse 30 points'],
    ['of a redemption', { type: 'REDEEM' }, 'returned 30 points'],
  ])('describes a reversal %s', (_, more, did) => {
    const had = more.type === 'REDEEM' ? 'redeemed' : 'earned';

    expect(reversalLines(reversal(more), original(more))).toEqual([
      `A refund of $50.00 ${did} of transaction 7, which had ${had} 300 points.`,
      'A refund leaves what the rest of the amount earns by the original decision, which follows.',
      expect.stringMatching(/^Refunds of /),
    ]);
  });

  it('contains the points that the member owes', () => {
    expect(reversalLines(reversal({ shortfallPoints: 1 }), original())[1]).toBe(
      'Not available at that time: 1 point. The member owes this amount; points that come back settle it first.',
    );
  });
});
