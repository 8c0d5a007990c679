import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { pointsMovedBy } from '../../shared/domain/ledger/manual-adjustment.ts';
import {
  findMergeObstacles,
  joinAssociations,
  joinUsers,
  mergeEntries,
  moveOfMerge,
} from '../../shared/domain/merge/merge-members.ts';
import { type Books, findMismatches } from '../../shared/domain/reconciliation/invariants.ts';
import { aMember, aMembership, anAssociation, aUser, noon } from './fixtures.ts';

const keep = aMember({ associations: [anAssociation()], memberships: [aMembership()] });
const gone = aMember({
  user: aUser({ id: 11 }),
  associations: [anAssociation({ id: 31, userId: 11, externalId: 'cc-2' })],
  memberships: [aMembership({ id: 21, userId: 11, externalId: 'SKY-2' })],
});
const none = new Set<number>();
const basis = { keep, gone, hosted: gone.memberships, referredIds: none, closedPartnerIds: none, now: noon };

describe('a merge of two members', () => {
  it('has no obstacle when both have an account in a hosted program', () => {
    expect(findMergeObstacles(basis)).toEqual([]);
  });

  it('is prevented when both have an account in a partner’s own program', () => {
    expect(findMergeObstacles({ ...basis, hosted: [] })).toEqual([{ kind: 'ownAccounts', values: [2] }]);
  });

  it('is prevented while a transaction waits for the answer of a partner’s own program', () => {
    const waiting = { ...gone, memberships: [aMembership({ userId: 11, partnerId: 3, postingsBegun: 2 })] };
    expect(findMergeObstacles({ ...basis, gone: waiting, hosted: [] })).toEqual([{ kind: 'unanswered', values: [3] }]);
  });

  it('is prevented when a closed account would receive points', () => {
    const closedPartnerIds = new Set([2, 9]);
    expect(findMergeObstacles({ ...basis, closedPartnerIds })).toEqual([{ kind: 'closed', values: [2] }]);
  });

  it('is prevented when only the kept member was unlinked at a merchant', () => {
    const detached = { ...keep, associations: [anAssociation({ detachedAt: '2026-01-02T00:00:00.000Z' })] };
    expect(findMergeObstacles({ ...basis, keep: detached })).toEqual([{ kind: 'unlinkedAt', values: [1] }]);
  });

  it('is prevented when only the merged member was referred to a program', () => {
    expect(findMergeObstacles({ ...basis, referredIds: new Set([21]) })).toEqual([{ kind: 'referred', values: [2] }]);
    expect(findMergeObstacles({ ...basis, referredIds: new Set([20, 21]) })).toEqual([]);
  });
});

describe('the list of what a merge moves', () => {
  it('contains points, unpaid cashback and owed points', () => {
    const accounts = [
      aMembership({ userId: 11, externalId: 'SKY-2', availablePoints: 70, heldPoints: 30 }),
      aMembership({ userId: 11, partnerId: 3, externalId: 'OWN-2', availablePoints: -5 }),
      aMembership({
        userId: 11,
        partnerId: 4,
        externalId: 'H-2',
        availablePoints: 0,
        cashbackCents: 90,
        paidOutCents: 50,
      }),
      aMembership({ userId: 11, partnerId: 5, externalId: 'D-2', availablePoints: 0, owedPoints: 200 }),
    ];
    const move = moveOfMerge({ keep, gone: { ...gone, memberships: accounts } });
    expect(move).toEqual({
      merge: { keptId: 10, goneId: 11 },
      changes: [
        { partnerId: 2, memberId: 'SKY-2', holder: 'member 11', from: 100, to: 0 },
        { partnerId: 3, memberId: 'OWN-2', holder: 'member 11', from: -5, to: 0 },
        { partnerId: 4, memberId: 'H-2', holder: 'member 11', unit: 'CENTS', from: 40, to: 0 },
        { partnerId: 5, memberId: 'D-2', holder: 'member 11', unit: 'OWED', from: 200, to: 0 },
      ],
    });
    expect(pointsMovedBy(move.changes)).toBe(345);
  });
});

describe('the customer that a merge makes', () => {
  it('has the kept member’s external id and attributes', () => {
    const one = anAssociation({
      attributes: { plan: ['yearly'] },
      firstLinked: { 2: '2026-02-02' },
      totalEarnedPoints: 5,
    });
    const other = anAssociation({
      ...{ externalId: 'cc-2', attributes: { plan: ['monthly'], employer: ['ACME'] } },
      ...{ firstLinked: { 2: '2026-01-01', 3: '2026-03-03' }, unlinked: { 3: '2026-03-04' }, totalEarnedPoints: 7 },
    });

    expect(joinAssociations(one, other, [3])).toMatchObject({
      externalId: 'cc-1',
      attributes: { plan: ['yearly'], employer: ['ACME'] },
      firstLinked: { 2: '2026-01-01', 3: '2026-03-03' },
      unlinked: { 3: '2026-03-04' },
      totalEarnedPoints: 12,
    });
    expect(joinUsers(aUser(), aUser({ phoneNumber: '+1555', defaultPartnerId: 2 }))).toEqual({
      phoneNumber: '+1555',
      defaultPartnerId: 2,
      formerIds: [10],
    });
    const [kept, merged] = [aUser({ formerIds: [7] }), aUser({ id: 11, formerIds: [8, 9] })];
    expect(joinUsers(kept, merged).formerIds).toEqual([7, 11, 8, 9]);
  });
});

describe('the ledger entries of a merge', () => {
  const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({
    ...{ userId: 11, partnerId: 2, campaign: null, transactionId: 1, transactionUuid: 'u', kind: 'OPENING' },
    ...{ points: 0, cashbackCents: 0, createdAt: noon.toISOString(), ...more },
  });
  const from = aMembership({ userId: 11, availablePoints: 300, totalEarnedPoints: 100, cashbackCents: 40 });
  const entries = [
    entry({ points: 200 }),
    entry({ kind: 'EARN', points: 100, campaign: { id: 7, partnershipUuid: 'p' } }),
    entry({ kind: 'EARN', cashbackCents: 40, campaign: { id: 7, partnershipUuid: 'p' } }),
    entry({ kind: 'PAYOUT', payout: { partnershipUuid: 'p', cents: 30 } }),
  ];
  let ids = 0;
  const nextIds = () => ({ id: ++ids, uuid: `uuid-${ids}` });
  const moved = (into?: typeof from) =>
    mergeEntries({ from, into, entries }, { toUserId: 10, nextIds, at: noon.toISOString() });

  it('move points and cashback from the merged member’s ledger to the kept member’s', () => {
    const all = moved();
    expect(
      all.map(({ userId, kind, points, cashbackCents, payout }) => [
        userId,
        kind,
        points,
        cashbackCents,
        payout?.cents,
      ]),
    ).toEqual([
      [11, 'MERGED_OUT', -300, 0, undefined],
      [10, 'MERGED_IN', 300, 0, undefined],
      [11, 'MERGED_OUT', 0, -40, -30],
      [10, 'MERGED_IN', 0, 40, 30],
    ]);
    expect(all[1]?.merged).toEqual({ earned: 100, redeemed: 0, opened: 200 });
  });

  it('must bring the sums of the merged member’s ledger to zero', () => {
    const books: Books = {
      ...{
        memberships: [],
        transactions: [],
        claims: [],
        usage: [],
        programAccounts: [],
        adjustments: [],
        payouts: [{ batchUuid: 'u', userId: 11, partnerId: 2, cents: 30, isReturned: false }],
      },
      ...{ merges: new Map([[11, 10]]), entries: [] },
    };
    const left = [...entries, ...moved(aMembership())].filter(({ userId }) => userId === 11);
    expect(findMismatches({ ...books, entries: left }, noon)).toEqual([]);
    expect(findMismatches({ ...books, entries: left.slice(0, -1) }, noon)).toMatchObject([
      { userId: 11, what: 'cashback after a merge (cents)', found: 40, expected: 0 },
      { userId: 11, what: 'cashback in payouts after a merge (cents)', found: 30, expected: 0 },
    ]);
    expect(findMismatches({ ...books, merges: new Map(), entries: left }, noon)).toMatchObject([{ found: 'absent' }]);
  });

  it('add no opening balance when the kept member already has an account in the program', () => {
    expect(moved(aMembership())[1]?.merged).toEqual({ earned: 100, redeemed: 0, opened: 0 });
  });
});
