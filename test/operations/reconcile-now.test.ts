import { describe, expect, it } from 'vitest';
import { partitions } from '../../shared/contracts/table.ts';
import { noRefunds, type RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { reconcileNow } from '../../shared/operations/reconcile/reconcile-now.ts';
import { membershipKey } from '../../shared/store/member/members.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import { aMembership, aTransaction, noon } from '../domain/fixtures.ts';

/** The books of member 10: a balance, and ledger entries that may have another sum. */
function booksOf(balance: number, ...points: number[]): Item[] {
  return [
    { ...membershipKey(10, 2), ...aMembership({ availablePoints: balance }) },
    ...points.map((amount, index) => ({
      ...{ pk: `${partitions.ledger}10#2`, sk: `uuid-${index}#OPENING` },
      ...{ userId: 10, partnerId: 2, campaign: null, kind: 'OPENING', points: amount, cashbackCents: 0 },
      ...{ transactionId: index, transactionUuid: `uuid-${index}`, createdAt: '2026-01-01T00:00:00.000Z' },
    })),
  ];
}

/** Readings that return these books one after the other. All further readings return the last of these books. */
async function reconcile(...found: Item[][]) {
  let readings = 0;
  const after = async () => {
    readings += 1;
    return { items: found[Math.min(readings, found.length) - 1] ?? [] };
  };
  const result = await reconcileNow({
    scan: { after, unread: {} },
    partnerships: { of: async () => [] },
    sequences: { last: async () => 0 },
    reconciliations: { find: async () => undefined },
    table: { getAll: async () => [], query: async () => [] },
    check: async () => [],
    pause: async () => {},
    now: () => noon,
    nextUuid: () => `reading-${readings}`,
  });
  return { ...result, readings };
}

const nothing = { mismatches: [], moving: [] };

describe('reconcileNow(), while the table changes,', () => {
  it('makes no second reading of a consistent table', async () => {
    expect(await reconcile(booksOf(7, 7), booksOf(5, 5))).toMatchObject({ ...nothing, readings: 1 });
  });

  it('returns a difference that a second reading finds unchanged', async () => {
    expect(await reconcile(booksOf(5, 7))).toMatchObject({
      mismatches: [
        { subject: 'member 10 in program 2', userId: 10, what: 'balance and ledger', found: 5, expected: 7 },
      ],
      moving: [],
      readings: 2,
    });
  });

  it('returns only differences that a later reading finds again', async () => {
    expect(await reconcile(booksOf(7, 7, 5), booksOf(12, 7, 5))).toMatchObject(nothing);
  });

  it('leaves out a difference whose numbers changed between readings', async () => {
    const readings = [booksOf(7, 7, 5), booksOf(12, 7, 5, 5), booksOf(17, 7, 5, 5)];
    expect(await reconcile(...readings)).toMatchObject(nothing);
  });

  it('returns no difference for a transaction that was read before its reversal began', async () => {
    const original = aTransaction({ id: 8, state: 'COMPLETED', userId: 10, points: 10 });
    const reverses = { id: 8, uuid: original.uuid, refundUuid: 'refund' };
    const reversal = aTransaction({ id: 9, state: 'PENDING', userId: 10, points: 4, reverses });
    const refunds = { ...noRefunds, revision: 1, points: 4, pendingReversals: 1 };
    const itemOf = (one: RewardTransaction) => ({
      pk: `${partitions.transaction}${one.id}`,
      sk: 'TRANSACTION',
      ...one,
    });
    const reading = (found: RewardTransaction) => [...booksOf(5, 5), itemOf(found), itemOf(reversal)];
    const { mismatches } = await reconcile(reading(original), reading({ ...original, refunds }));

    expect(mismatches.length).toBeGreaterThan(0);
    expect(mismatches.filter(({ what }) => what.includes('revers'))).toEqual([]);
  });

  it('returns a difference whose numbers stopped changing', async () => {
    const { mismatches } = await reconcile(booksOf(7, 7, 5), booksOf(12, 7, 4));

    expect(mismatches).toMatchObject([{ found: 12, expected: 11 }]);
  });

  it('lists under `moving` a member whose numbers keep changing', async () => {
    const readings = Array.from({ length: 9 }, (_, index) => booksOf(index, index + 50));

    expect(await reconcile(...readings)).toMatchObject({ mismatches: [], moving: ['member 10 in program 2'] });
  });
});
