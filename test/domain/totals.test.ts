import { describe, expect, it } from 'vitest';
import { award } from '../../shared/domain/award/claim.ts';
import { type Goal, measureProgress } from '../../shared/domain/campaign/document/campaign.ts';
import { LedgerEntry, toLedgerEntries } from '../../shared/domain/ledger/ledger-entry.ts';
import { contributionsOf, noTotals, ofPartnership, recount } from '../../shared/domain/ledger/totals.ts';
import { aCampaign, aMember, aPartnership, aRequest, aTransaction, decided, noon } from './fixtures.ts';

const { uuid: partnershipUuid } = aPartnership();
const campaign = { partnershipUuid, campaignId: 5 };
const entry = (more: Partial<LedgerEntry> = {}): LedgerEntry =>
  LedgerEntry.parse({ ...toLedgerEntries(aTransaction(), noon)[0], ...more });

describe('contributionsOf() for a ledger entry', () => {
  it.each<[string, Partial<LedgerEntry>, object]>([
    ['adds earned points', { points: 100 }, { earnedPoints: 100, transactions: 1 }],
    ['adds redeemed points', { kind: 'REDEEM', points: -100 }, { redeemedPoints: 100, transactions: 1 }],
    ['adds cashback, and no points', { points: 0, cashbackCents: 250 }, { cashbackCents: 250, transactions: 1 }],
    ['adds no earned points of another program', { points: 100, isForeign: true }, { transactions: 1 }],
    [
      'adds no redeemed points of another program',
      { kind: 'REDEEM', points: -100, isForeign: true },
      { transactions: 1 },
    ],
  ])('%s', (_case, more, totals) => {
    expect(contributionsOf(entry(more))).toEqual([{ subject: campaign, totals: { ...noTotals, ...totals } }]);
  });

  it('adds a registration when a link is rewarded', () => {
    const registers = [{ id: 5, partnershipUuid }];
    expect(contributionsOf(entry({ points: 100, registers }))).toEqual([
      { subject: campaign, totals: { ...noTotals, earnedPoints: 100, transactions: 1, registrations: 1 } },
    ]);
  });

  it('adds a registration, but no points, for an opening entry', () => {
    const opening = entry({ kind: 'OPENING', campaign: null, points: 700 });
    expect(contributionsOf(opening)).toEqual([]);
    expect(contributionsOf({ ...opening, registers: [{ id: 7, partnershipUuid }] })).toEqual([
      { subject: { partnershipUuid, campaignId: 7 }, totals: { ...noTotals, registrations: 1 } },
    ]);
  });
});

describe('recount()', () => {
  it('adds up the contributions of all entries', () => {
    const totals = { ...noTotals, earnedPoints: 130, redeemedPoints: 20, transactions: 3 };
    const all = [entry({ points: 100 }), entry({ points: 30 }), entry({ kind: 'REDEEM', points: -20 })];
    expect(recount(all)).toEqual([{ subject: campaign, totals }]);
    expect(recount([])).toEqual([]);
  });
});

describe('ofPartnership()', () => {
  it('adds up the totals of campaigns, without registrations', () => {
    const totals = { ...noTotals, earnedPoints: 130, cashbackCents: 20, transactions: 3, registrations: 2 };
    expect(ofPartnership([totals, { ...noTotals, redeemedPoints: 5, transactions: 1 }])).toEqual({
      earnedPoints: 130,
      redeemedPoints: 5,
      cashbackCents: 20,
      transactions: 4,
      registrations: 0,
    });
  });
});

describe('an award for a registration', () => {
  it('marks its transactions as registrations', () => {
    const decision = decided(aRequest({ campaigns: [aCampaign()] }));
    if ('refused' in decision) throw new Error(decision.refused);
    const occasion = {
      member: aMember(),
      merchantId: 1,
      externalTransactionId: 'member-10',
      amountCents: 0,
      now: noon,
    };
    const ids = () => ({ id: 100, uuid: aTransaction().uuid });
    const isRegistration = (kind: 'PURCHASE' | 'REGISTRATION') =>
      award({ ...occasion, kind: kind }, decision, 'token', ids).transactions.map((one) => one.isRegistration);

    expect(isRegistration('REGISTRATION')).toEqual([true]);
    expect(isRegistration('PURCHASE')).toEqual([undefined]);
  });
});

describe('measureProgress()', () => {
  const totals = { ...noTotals, earnedPoints: 100, redeemedPoints: 20, registrations: 3, cashbackCents: 9_999 };
  it.each<[Goal['type'], number, number, boolean]>([
    ['POINTS_EARNED', 101, 100, false],
    ['POINTS_EARNED', 100, 100, true],
    ['POINTS_REDEEMED', 19, 20, true],
    ['REGISTRATIONS', 4, 3, false],
  ])('returns isReached $3 for a goal of $1 $0 when the total is $2', (type, target, current, isReached) => {
    const goal: Goal = { id: 1, ownerId: 2, type, target };
    expect(measureProgress([goal], totals)).toEqual([{ goal, current, isReached }]);
  });
});
