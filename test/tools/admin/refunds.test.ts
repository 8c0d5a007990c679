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
  givenBack: [],
  waiting: [],
  ...more,
});
const original = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 7, state: 'COMPLETED', amountCents: 10_000, points: 300, refunds: refunds({}), ...more });
const reverses = { id: 7, uuid: 'the original', refundUuid: 'the refund' };
const reversal = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 8, state: 'COMPLETED', amountCents: 5_000, points: 30, reverses, ...more });

describe('what refunds did to a transaction', () => {
  it('is nothing to tell where there was none', () => {
    const { refunds: _, ...untouched } = original();

    expect(refundLines(untouched)).toEqual([]);
  });

  it.each<[string, Partial<RewardTransaction>, string]>([
    ['points', {}, 'took back 30 points, and left 270 points.'],
    ['all', { points: 30 }, 'took back 30 points, and left nothing.'],
    ['nothing', { refunds: refunds({ points: 0 }) }, 'took back nothing, and left 300 points.'],
    [
      'money',
      { points: 0, cashbackCents: 999, refunds: refunds({ points: 0, cashbackCents: 100 }) },
      'took back $1.00 of cashback, and left $8.99 of cashback.',
    ],
    ['what was paid', { type: 'REDEEM' }, 'gave back 30 points, and left 270 points.'],
  ])('is told of %s', (_, more, told) => {
    expect(refundLines(original(more))).toEqual([`Refunds of $50.00 in all, of the $100.00 that were paid, ${told}`]);
  });

  it('is told as far as it is known', () => {
    const waiting = [{ refundUuid: 'another', refundedUuid: 'an order' }];

    expect(refundLines(original({ refunds: refunds({ pendingReversals: 2, waiting }) })).slice(1)).toEqual([
      'Of that the program has yet to confirm 2 reversals.',
      'For the program’s answer to the transaction: 1 refund, not counted here.',
    ]);
  });
});

describe('what one refund did', () => {
  it.each<[string, Partial<RewardTransaction>, string]>([
    ['when it is confirmed', {}, 'took back 30 points'],
    ['when it is not confirmed yet', { state: 'PENDING' }, 'is to take back 30 points'],
    ['when the program refused it', { state: 'FAILED' }, 'was to take back 30 points'],
    ['to what was paid', { type: 'REDEEM' }, 'gave back 30 points'],
  ])('is told %s', (_, more, did) => {
    const had = more.type === 'REDEEM' ? 'redeemed' : 'earned';

    expect(reversalLines(reversal(more), original(more))).toEqual([
      `A refund of $50.00 ${did} of transaction 7, which had ${had} 300 points.`,
      'A refund leaves what the rest of the amount comes to by the decision of then, which follows.',
      expect.stringMatching(/^Refunds of /),
    ]);
  });

  it('tells of points that were not there any more', () => {
    expect(reversalLines(reversal({ shortfallPoints: 1 }), original())[1]).toBe(
      'Not taken of that: 1 point, which the member had spent already.',
    );
  });
});
