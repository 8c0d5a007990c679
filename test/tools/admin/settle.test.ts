import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { Books } from '../../../tools/admin/reconcile/books.ts';
import { settle } from '../../../tools/admin/reconcile/settle.ts';
import { aMembership, noon } from '../../domain/fixtures.ts';

/** Books of a member (10) with a balance, as entries explain it or not. */
function booksOf(balance: number, ...points: number[]): Books {
  return {
    memberships: [aMembership({ availablePoints: balance })],
    transactions: [],
    claims: [],
    usage: [],
    entries: points.map(
      (amount, index): LedgerEntry => ({
        ...{ userId: 10, partnerId: 2, campaign: null, kind: 'OPENING', points: amount, cashbackCents: 0 },
        ...{ transactionId: index, transactionUuid: `uuid-${index}`, createdAt: '2026-01-01T00:00:00.000Z' },
      }),
    ),
  };
}

const now = () => noon;

/** Looks that find these books one after the other, and the last ones from then on. */
function looks(...found: Books[]) {
  const made: Books[] = [];
  const look = async () => {
    const next = found[Math.min(made.length, found.length - 1)] as Books;
    made.push(next);
    return next;
  };
  return { look, made };
}

describe('what differs in books that are read while they move', () => {
  it('is nothing, at one look, where all fits', async () => {
    const { look, made } = looks(booksOf(5, 5));

    expect(await settle(booksOf(7, 7), look, now)).toEqual({ differences: [], restless: [] });
    expect(made).toEqual([]);
  });

  it('is what a second look finds as it was', async () => {
    const { look, made } = looks(booksOf(5, 7));
    const { differences, restless } = await settle(booksOf(5, 7), look, now);

    expect(differences).toEqual([
      { subject: 'member 10 in program 2', userId: 10, what: 'balance and ledger', found: 5, expected: 7 },
    ]);
    expect(restless).toEqual([]);
    expect(made).toHaveLength(1);
  });

  it('is nothing that a later look finds in order', async () => {
    const { look } = looks(booksOf(12, 7, 5));

    expect(await settle(booksOf(7, 7, 5), look, now)).toEqual({ differences: [], restless: [] });
  });

  it('is no gap of the same size between other numbers', async () => {
    const { look } = looks(booksOf(12, 7, 5, 5), booksOf(17, 7, 5, 5));

    expect(await settle(booksOf(7, 7, 5), look, now)).toEqual({ differences: [], restless: [] });
  });

  it('is found behind what moved at first', async () => {
    const { look } = looks(booksOf(12, 7, 4), booksOf(12, 7, 4));
    const { differences } = await settle(booksOf(7, 7, 4), look, now);

    expect(differences).toMatchObject([{ found: 12, expected: 11 }]);
  });

  it('is not known of who moves at every look', async () => {
    const moving = Array.from({ length: 9 }, (_, index) => booksOf(index + 1, index + 2));

    expect(await settle(booksOf(0, 50), looks(...moving).look, now)).toEqual({
      differences: [],
      restless: ['member 10 in program 2'],
    });
  });
});
