import { describe, expect, it } from 'vitest';
import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { effectText, type ReversalCause, refundLines, reversalLines } from '../../../tools/admin/explain/refunds.ts';
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
const cause: ReversalCause = { kind: 'refund', timeZone: 'UTC' };

/** An operator's reversal. It took the points that were left after half of the payment was refunded. */
const byOperator = reversal({
  ...{ id: 9, points: 270, amountCents: 0, reversalReason: 'Farmed', reversalOperator: 'ada@desk' },
  createdAt: '2026-03-09T12:00:00.000Z',
});
const voided = original({ state: 'REVERSED', refunds: refunds({ points: 300, isVoid: true, voidedBy: 9 }) });
const operatorLines = [
  'Operator ada@desk reversed the rest on 2026-03-09 12:00:00 UTC: 270 points, with transaction 9.',
  'Reason: Farmed',
  'Refunds and payments change the transaction no more.',
];

describe('refundLines()', () => {
  it('returns no line for a transaction without a refund', () => {
    const { refunds: _, ...untouched } = original();

    expect(refundLines(untouched, cause)).toEqual([]);
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
    expect(refundLines(original(more), cause)).toEqual([
      `Refunds of $50.00 in total, from a payment of $100.00, ${effect}`,
    ]);
  });

  it('counts the reversals without an answer, and says that more refunds wait', () => {
    const waiting = [{ refundedUuid: 'an order', receivedUntil: '2026-03-08T12:00:00.000Z' }];

    expect(refundLines(original({ refunds: refunds({ pendingReversals: 2, waiting }) }), cause).slice(1)).toEqual([
      'The program has yet to confirm 2 reversals of these.',
      'More refunds, not counted here, wait for the program’s answer to the transaction.',
    ]);
  });

  it('describes the refunds and the operator’s reversal in separate lines', () => {
    expect(refundLines(voided, { ...cause, byOperator })).toEqual([
      'Refunds of $50.00 in total, from a payment of $100.00, reversed 30 points.',
      ...operatorLines,
    ]);
  });

  it('says that refunds reversed nothing when an operator reversed all points', () => {
    const all = { ...byOperator, points: 300 };

    expect(refundLines(voided, { ...cause, byOperator: all })).toEqual([
      'Refunds of $50.00 in total, from a payment of $100.00, reversed nothing.',
      'Operator ada@desk reversed all of it on 2026-03-09 12:00:00 UTC: 300 points, with transaction 9.',
      ...operatorLines.slice(1),
    ]);
  });

  it('gives one sum for refunds and operator when it cannot tell them apart', () => {
    expect(refundLines(voided, cause)).toEqual([
      'Refunds of $50.00 in total, from a payment of $100.00, and an operator reversed 300 points together.',
      'An operator reversed everything that was left. Refunds and payments change the transaction no more.',
    ]);
  });

  it('describes what was reversed although no money was returned', () => {
    expect(refundLines(original({ refunds: refunds({ refundedCents: 0 }) }), cause)).toEqual([
      'Later reports of the purchase, such as points that paid for it, reversed 30 points and left 270 points.',
    ]);
  });

  it('describes points that later paid a part of the purchase', () => {
    const paid = { cents: 1_000, ofCents: 10_000 };
    const [only] = refundLines(original({ refunds: refunds({ refundedCents: 0, paid }) }), cause);
    const [both] = refundLines(original({ refunds: refunds({ paid }) }), cause);

    expect(only).toBe('Points that paid $10.00 of the purchase later reversed 30 points and left 270 points.');
    expect(both).toBe(
      'Refunds of $50.00 in total, from a payment of $100.00, and points that paid $10.00 of it later, reversed 30 points and left 270 points.',
    );
  });

  it('lists no waiting refunds when the program has answered everything', () => {
    const waiting = [{ refundedUuid: 'an order', receivedUntil: '2026-03-08T12:00:00.000Z' }];

    expect(refundLines(original({ refunds: refunds({ waiting }) }), cause)).toHaveLength(1);
    expect(refundLines(original({ state: 'PENDING', refunds: refunds({ waiting }) }), cause)).toHaveLength(2);
  });
});

describe('effectText()', () => {
  it.each<[string, Partial<RewardTransaction>]>([
    ['is to earn 300 points', { state: 'HELD' }],
    ['is to earn 300 points', { state: 'PENDING' }],
    ['earned 300 points', {}],
    ['nothing; it was to earn 300 points', { state: 'FAILED' }],
    ['nothing; it was to redeem 300 points', { type: 'REDEEM', state: 'CANCELLED' }],
    ['earned 300 points; 30 points of it reversed later', { refunds: refunds({}) }],
    ['earned 300 points; all of it reversed later', { state: 'REVERSED', refunds: refunds({ points: 300 }) }],
    ['redeemed 300 points; 30 points of it returned later', { type: 'REDEEM', refunds: refunds({}) }],
    [
      'earned 300 points; 30 points of it reversed later, not confirmed yet',
      { refunds: refunds({ pendingReversals: 1 }) },
    ],
    ['nothing; it was to reverse 300 points', { state: 'FAILED', reverses }],
    ['redeemed 300 points with $2.00 of cashback', { type: 'REDEEM', cashbackCents: 200 }],
  ])('describes a transaction as “%s”', (expected, more) => {
    const { refunds: _, ...untouched } = original();

    expect(effectText({ ...untouched, ...more })).toBe(expected);
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

    expect(reversalLines(reversal(more), original(more), cause)).toEqual([
      `A refund of $50.00 ${did} of transaction 7, which had ${had} 300 points.`,
      'What is left is the reward of the rest of the amount, by the original decision, which follows.',
      expect.stringMatching(/^Refunds of /),
    ]);
  });

  it('names the operator and the reason, and mentions no refund', () => {
    const { refunds: all } = voided;
    const alone = original({ refunds: { ...refunds({ points: 300 }), ...all, refundedCents: 0 } });
    const reversed = { ...byOperator, points: 300 };

    expect(reversalLines(reversed, alone, { ...cause, byOperator: reversed })).toEqual([
      'Operator ada@desk reversed 300 points of transaction 7, which had earned 300 points.',
      'Reason: Farmed',
      'No money was returned. The original decision follows.',
      'Refunds and payments change the transaction no more.',
    ]);
  });

  it('says that the member later paid a part of the purchase with points', () => {
    const paid = reversal({ amountCents: 1_000 });

    expect(reversalLines(paid, original(), { ...cause, kind: 'points' })[0]).toBe(
      'The member paid $10.00 of the purchase with points later; this reversed 30 points of transaction 7, which had earned 300 points.',
    );
  });

  it.each([
    ['points', 'The member paid a part of the purchase with points later; this'],
    ['refund', 'A later report of the purchase'],
    ['payment', 'A later report of the purchase'],
  ] as const)('names no amount when no money was returned (%s)', (kind, by) => {
    expect(reversalLines(reversal({ amountCents: 0 }), original(), { ...cause, kind })[0]).toBe(
      `${by} reversed 30 points of transaction 7, which had earned 300 points.`,
    );
  });

  it('contains the points that the member owes', () => {
    expect(reversalLines(reversal({ shortfallPoints: 1 }), original(), cause)[1]).toBe(
      'Not available at that time: 1 point. The member owes this amount; points that come back settle it first.',
    );
  });
});
