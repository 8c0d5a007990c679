import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { noRefunds } from '../../shared/domain/ledger/reward-transaction.ts';
import type { Books } from '../../shared/domain/reconciliation/invariants.ts';
import { reconcileBooks } from '../../shared/operations/reconcile/reconcile-books.ts';
import { aMembership, aTransaction, noon } from '../domain/fixtures.ts';

/** The books of member 10: a balance, and ledger entries that may have another sum. */
function booksOf(balance: number, ...points: number[]): Books {
  return {
    memberships: [aMembership({ availablePoints: balance })],
    transactions: [],
    claims: [],
    programAccounts: [],
    usage: [],
    adjustments: [],
    merges: new Map(),
    payouts: [],
    entries: points.map(
      (amount, index): LedgerEntry => ({
        ...{ userId: 10, partnerId: 2, campaign: null, kind: 'OPENING', points: amount, cashbackCents: 0 },
        ...{ transactionId: index, transactionUuid: `uuid-${index}`, createdAt: '2026-01-01T00:00:00.000Z' },
      }),
    ),
  };
}

const now = () => noon;

/** Readings that return these books one after the other. All further readings return the last of these books. */
function readings(...found: Books[]) {
  const made: Books[] = [];
  const readAgain = async () => {
    const next = found[Math.min(made.length, found.length - 1)] as Books;
    made.push(next);
    return next;
  };
  return { readAgain, made };
}

describe('reconcileBooks(), while the table changes,', () => {
  it('makes no second reading of a consistent table', async () => {
    const { readAgain, made } = readings(booksOf(5, 5));

    expect(await reconcileBooks({ first: booksOf(7, 7), readAgain, now })).toEqual({ mismatches: [], moving: [] });
    expect(made).toEqual([]);
  });

  it('returns a difference that a second reading finds unchanged', async () => {
    const { readAgain, made } = readings(booksOf(5, 7));
    const { mismatches, moving } = await reconcileBooks({ first: booksOf(5, 7), readAgain, now });

    expect(mismatches).toEqual([
      { subject: 'member 10 in program 2', userId: 10, what: 'balance and ledger', found: 5, expected: 7 },
    ]);
    expect(moving).toEqual([]);
    expect(made).toHaveLength(1);
  });

  it('returns only differences that a later reading finds again', async () => {
    const { readAgain } = readings(booksOf(12, 7, 5));

    expect(await reconcileBooks({ first: booksOf(7, 7, 5), readAgain, now })).toEqual({ mismatches: [], moving: [] });
  });

  it('leaves out a difference whose numbers changed between readings', async () => {
    const { readAgain } = readings(booksOf(12, 7, 5, 5), booksOf(17, 7, 5, 5));

    expect(await reconcileBooks({ first: booksOf(7, 7, 5), readAgain, now })).toEqual({ mismatches: [], moving: [] });
  });

  it('returns no difference for a transaction that was read before its reversal began', async () => {
    const original = aTransaction({ id: 8, state: 'COMPLETED', userId: 10, points: 10 });
    const reverses = { id: 8, uuid: original.uuid, refundUuid: 'refund' };
    const reversal = aTransaction({ id: 9, state: 'PENDING', userId: 10, points: 4, reverses });
    const refunds = { ...noRefunds, revision: 1, points: 4, pendingReversals: 1 };
    const reading = (found: typeof original): Books => ({ ...booksOf(5, 5), transactions: [found, reversal] });
    const { readAgain } = readings(reading({ ...original, refunds }));
    const { mismatches } = await reconcileBooks({ first: reading(original), readAgain, now });

    expect(mismatches.filter(({ what }) => what.includes('revers'))).toEqual([]);
  });

  it('returns a difference whose numbers stopped changing', async () => {
    const { readAgain } = readings(booksOf(12, 7, 4), booksOf(12, 7, 4));
    const { mismatches } = await reconcileBooks({ first: booksOf(7, 7, 4), readAgain, now });

    expect(mismatches).toMatchObject([{ found: 12, expected: 11 }]);
  });

  it('lists under `moving` a member whose numbers keep changing', async () => {
    const moving = Array.from({ length: 9 }, (_, index) => booksOf(index + 1, index + 2));

    expect(await reconcileBooks({ first: booksOf(0, 50), readAgain: readings(...moving).readAgain, now })).toEqual({
      mismatches: [],
      moving: ['member 10 in program 2'],
    });
  });
});
