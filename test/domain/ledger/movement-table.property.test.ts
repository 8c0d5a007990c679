import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { Charge, RewardTransaction, TransactionState } from '../../../shared/domain/ledger/reward-transaction.ts';
import { noTotals, ofPartnership, recount } from '../../../shared/domain/ledger/totals.ts';
import { reversalPolicies } from '../../../shared/domain/partnership.ts';
import { findMismatches } from '../../../shared/domain/reconciliation/invariants.ts';
import { fc } from '../../support/fast-check.ts';
import { aMembership, aPartnership, noon } from '../fixtures.ts';
import { type CampaignName, campaigns, MoneyHistory, otherPartnerId } from './money-history.ts';

/**
 * The rules of money, stated without the movement table: each invariant is computed from the transactions and their
 * states alone. A mistake in the table breaks at least one of them.
 */

/**
 * `earn` and `redeem` are listed twice, so they occur most often. A shortfall needs both, and then a refund of the
 * purchase that earned.
 */
const names: CampaignName[] = [
  'earn',
  'earn',
  'cashback',
  'pointsAndCashback',
  'redeem',
  'redeem',
  'rebate',
  'both',
  'transfer',
];
const orders = fc.constantFrom(...'ABCDEFGHIJKL');
const steps = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      order: orders,
      campaign: fc.constantFrom(...names),
      points: fc.integer({ min: 1, max: 400 }),
      withoutToken: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('create' as const, 'create', 'expire'), order: orders }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(), yes: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('review' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('endReview' as const), which: fc.nat(), yes: fc.nat(2) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      which: fc.nat(),
      percent: fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constant(100)),
    }),
  },
);
type Action = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;
const histories = fc.record({
  policy: fc.constantFrom(...reversalPolicies),
  openingPoints: fc.constantFrom(0, 0, 50, 600),
  steps: fc.array(steps, { minLength: 30, maxLength: 90 }),
});

function take(step: Action, history: MoneyHistory): boolean {
  switch (step.kind) {
    case 'ask':
      return history.ask(step.order, step.campaign, step.points, step.withoutToken);
    case 'create':
      return history.create(step.order);
    case 'expire':
      return history.expire(step.order);
    case 'answer':
      return history.answer(step.which, step.yes > 0);
    case 'review':
      return history.review(step.which);
    case 'endReview':
      return history.endReview(step.which, step.yes > 0);
    case 'refund':
      return history.refund(step.which, step.percent);
  }
}

const sum = <Value>(values: Iterable<Value>, amount: (value: Value) => number) =>
  [...values].reduce((total, value) => total + amount(value), 0);

const isIn = (...states: TransactionState[]) => {
  const set = new Set(states);
  return ({ state }: RewardTransaction) => set.has(state);
};
/** Whether the program confirmed a transaction. A REVERSED transaction was confirmed before. */
const isConfirmed = isIn('COMPLETED', 'REVERSED');
const isLive = isIn('INITIATED', 'PENDING', 'HELD');

/** Points that a confirmed transaction gave (EARN) or took (REDEEM); a reversal counts as negative. */
const confirmed = (transaction: RewardTransaction, type: RewardTransaction['type']) => {
  if (transaction.type !== type || !isConfirmed(transaction)) return 0;
  return transaction.reverses ? -transaction.points : transaction.points;
};

/**
 * Points that a live transaction holds. A payment holds its points. The reversal of an award holds its points minus the
 * shortfall.
 */
function heldBy(transaction: RewardTransaction): number {
  if (!isLive(transaction)) return 0;
  const { type, reverses, points, shortfallPoints = 0 } = transaction;
  return (type === 'REDEEM') === (reverses === undefined) ? points - shortfallPoints : 0;
}

function checkAccounts({ accounts, entries, transactions, openingPoints, policy, atMerchant }: MoneyHistory): void {
  for (const [partnerId, account] of accounts) {
    const own = [...transactions.values()].filter((one) => one.partnerId === partnerId);
    const rows = entries.filter((one) => one.partnerId === partnerId);
    const opening = partnerId === otherPartnerId ? 0 : openingPoints;
    const shortfallsOf = (some: readonly RewardTransaction[]) =>
      sum(some, ({ shortfallPoints = 0 }) => shortfallPoints);
    const shortfalls = shortfallsOf(own.filter(isConfirmed));
    const settled = sum(rows, ({ kind, points }) => (kind === 'SETTLEMENT' ? -points : 0));
    const balance = account.available + account.held;
    expect(account.held).toBe(sum(own, heldBy));
    expect(account.held).toBeGreaterThanOrEqual(0);
    expect(account.earned).toBe(sum(own, (one) => confirmed(one, 'EARN')));
    expect(account.redeemed).toBe(sum(own, (one) => confirmed(one, 'REDEEM')));
    expect(balance).toBe(opening + sum(rows, ({ points }) => points));
    expect(balance).toBe(opening + account.earned - account.redeemed + shortfalls - settled);
    expect(account.owed).toBe(shortfalls + shortfallsOf(own.filter(isLive)) - settled);
    expect(account.owed).toBeGreaterThanOrEqual(0);
    expect(account.cashbackCents).toBe(sum(rows, ({ cashbackCents }) => cashbackCents));
    expect(account.cashbackCents).toBe(
      sum(own.filter(isConfirmed), ({ reverses, cashbackCents }) => (reverses ? -cashbackCents : cashbackCents)),
    );
    if (policy !== 'unlimited') expect(account.available).toBeGreaterThanOrEqual(0);
  }
  const both = [...accounts.values()];
  expect(atMerchant).toEqual({ earned: sum(both, (one) => one.earned), redeemed: sum(both, (one) => one.redeemed) });
}

/** No reversal exceeds the original award, and a REVERSED original is reversed in full. */
function checkReversals({ transactions }: MoneyHistory): void {
  const all = [...transactions.values()];
  for (const original of all.filter(({ reverses }) => !reverses)) {
    const reversals = all.filter(({ reverses, state }) => reverses?.id === original.id && state !== 'FAILED');
    const [points, cents] = [sum(reversals, (one) => one.points), sum(reversals, (one) => one.cashbackCents)];
    expect(points).toBe(original.refunds?.points ?? 0);
    expect(points).toBeLessThanOrEqual(original.points);
    expect(cents).toBeLessThanOrEqual(original.cashbackCents);
    if (original.state === 'REVERSED') expect([points, cents]).toEqual([original.points, original.cashbackCents]);
  }
}

/** Usage of limits equals the charges of the current rewards minus the charges that confirmed reversals returned. */
function checkUsage({ usage, transactions }: MoneyHistory): void {
  const all = [...transactions.values()];
  const standing = all.filter((one) => !one.reverses && (isLive(one) || isConfirmed(one)));
  const returning = all.filter((one) => one.reverses && isConfirmed(one));
  const chargedOn = (limitId: number) => (transaction: RewardTransaction) =>
    sum(
      transaction.charges.filter((charge) => charge.limitId === limitId),
      ({ amount }: Charge) => amount,
    );
  for (const { limitId, used } of usage.values()) {
    const limit = limits.find(({ id }) => id === limitId);
    expect(used).toBe(sum(standing, chargedOn(limitId)) - sum(returning, chargedOn(limitId)));
    expect(used).toBeGreaterThanOrEqual(0);
    expect(used).toBeLessThanOrEqual(limit?.amount ?? 0);
  }
  for (const original of all.filter(({ state }) => state === 'REVERSED')) {
    const reversals = returning.filter(({ reverses }) => reverses?.id === original.id);
    for (const { limitId, amount } of original.charges) expect(sum(reversals, chargedOn(limitId))).toBe(amount);
  }
}

/** A limit of events counts the purchases of which any reward is left. */
function checkEvents({ usage, transactions }: MoneyHistory): void {
  for (const { id, flows } of Object.values(campaigns)) {
    const left = [...transactions.values()].filter(
      (one) => one.campaignId === id && !one.reverses && (isLive(one) || one.state === 'COMPLETED'),
    );
    const events = new Set(left.map(({ snapshotId }) => snapshotId)).size;
    for (const limit of flows.flatMap((flow) => flow.limits).filter(({ unit }) => unit === 'EVENTS')) {
      const used = [...usage.values()].find(({ limitId }) => limitId === limit.id)?.used ?? 0;
      expect(used).toBe(events);
    }
  }
}

const limits = Object.values(campaigns).flatMap(({ flows }) => flows.flatMap((flow) => flow.limits));

/** The totals of the partnership count confirmed transactions: the points of its own program, and the cashback. */
function checkTotals({ entries, transactions }: MoneyHistory): void {
  const all = [...transactions.values()].filter(isConfirmed);
  const own = all.filter(({ isForeign }) => !isForeign);
  const found = ofPartnership(recount(entries).map(({ totals }) => totals));
  expect(found).toEqual({
    ...noTotals,
    earnedPoints: sum(own, (one) => confirmed(one, 'EARN')),
    redeemedPoints: sum(own, (one) => confirmed(one, 'REDEEM')),
    cashbackCents: sum(all, ({ reverses, cashbackCents }) => (reverses ? -cashbackCents : cashbackCents)),
    transactions: all.filter(({ reverses }) => !reverses).length,
  });
}

/** Reconciliation finds no mismatch in the books. */
function checkBooks(history: MoneyHistory): void {
  const memberships = [...history.accounts.values()].map(({ partnerId, ...account }) =>
    aMembership({
      partnerId,
      availablePoints: account.available,
      heldPoints: account.held,
      owedPoints: account.owed,
      totalEarnedPoints: account.earned,
      totalRedeemedPoints: account.redeemed,
      cashbackCents: account.cashbackCents,
    }),
  );
  const opening: LedgerEntry = {
    userId: 10,
    partnerId: 2,
    campaign: null,
    transactionId: 10,
    transactionUuid: 'opening',
    kind: 'OPENING',
    points: history.openingPoints,
    cashbackCents: 0,
    createdAt: aPartnership().createdAt,
  };
  const books = {
    memberships,
    transactions: [...history.transactions.values()],
    claims: [...history.claims.values()],
    entries: [opening, ...history.entries],
    usage: [...history.usage.values()],
    programAccounts: [],
    payouts: [],
    adjustments: [],
    merges: new Map(),
  };
  expect(findMismatches(books, noon)).toEqual([]);
}

/** Purchases that earn points, payments with points, and refunds of both. The token of a payment may stay unspent. */
const purchases = fc.record({
  earned: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 3 }),
  paid: fc.array(fc.record({ points: fc.integer({ min: 1, max: 150 }), isSpent: fc.boolean() }), { maxLength: 4 }),
  refunds: fc.array(fc.record({ which: fc.nat(6), percent: fc.constantFrom(30, 100, 100) }), { maxLength: 5 }),
});

/**
 * Makes these purchases and payments, and then the refunds and expiries in the sequence that `choices` selects. The
 * program confirms in between.
 */
function closed(
  { earned, paid, refunds }: typeof purchases extends fc.Arbitrary<infer Value> ? Value : never,
  choices: Iterator<number>,
): MoneyHistory {
  const history = new MoneyHistory('within_balance', 0);
  const confirmAll = () => {
    while (history.answer(0, true));
  };
  earned.forEach((points, position) => {
    history.ask(`E${position}`, 'earn', points);
    history.create(`E${position}`);
  });
  confirmAll();
  paid.forEach(({ points, isSpent }, position) => {
    history.ask(`P${position}`, 'redeem', points);
    if (isSpent) history.create(`P${position}`);
  });
  confirmAll();
  const originals = [...history.transactions.values()].filter(isConfirmed);
  const parts = refunds.map(({ which, percent }) => () => {
    const chosen = originals[which % Math.max(1, originals.length)];
    if (chosen) history.refundPart(chosen.id, percent);
  });
  const closing = [...parts, ...paid.map((_, position) => () => void history.expire(`P${position}`))];
  while (closing.length > 0) {
    const choice = choices.next().value ?? 0;
    closing.splice(choice % closing.length, 1)[0]?.();
    if (choice % 3 === 0) confirmAll();
  }
  confirmAll();
  return history;
}

describe('the movement table, over random histories,', () => {
  it('keeps ledger, balances, limits and totals consistent', () => {
    const counts = { reversed: 0, shortfalls: 0, refused: 0, transferred: 0, cashback: 0, held: 0, reviewed: 0 };
    fc.assert(
      fc.property(histories, ({ policy, openingPoints, steps: actions }) => {
        const history = new MoneyHistory(policy, openingPoints);
        for (const step of actions) {
          if (!take(step, history)) continue;
          checkAccounts(history);
          checkReversals(history);
          checkUsage(history);
          checkEvents(history);
          checkTotals(history);
          checkBooks(history);
        }
        const all = [...history.transactions.values()];
        counts.reversed += all.filter(isIn('REVERSED')).length;
        counts.shortfalls += all.filter((one) => one.shortfallPoints && isConfirmed(one)).length;
        counts.refused += all.filter(({ reverses, state }) => reverses && state === 'FAILED').length;
        counts.held += all.filter(isIn('HELD')).length;
        counts.reviewed += all.filter(({ review, state }) => review && state === 'FAILED').length;
        counts.transferred += all.filter(({ otherLegId, reverses }) => reverses && otherLegId !== undefined).length;
        counts.cashback += all.filter(({ reverses, cashbackCents }) => reverses && cashbackCents > 0).length;
      }),
      { numRuns: 400 },
    );
    // The property is conclusive only when every kind of history occurs.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  }, 60_000);

  it('gives the same points in any sequence of steps', () => {
    const counts = { owing: 0, settled: 0 };
    fc.assert(
      fc.property(purchases, fc.infiniteStream(fc.nat()), fc.infiniteStream(fc.nat()), (bought, one, other) => {
        const [first, second] = [one, other].map((choices) => closed(bought, choices));
        expect(second?.accounts).toEqual(first?.accounts);
        counts.owing += first?.accounts.get(2)?.owed ? 1 : 0;
        counts.settled += first?.entries.some(({ kind }) => kind === 'SETTLEMENT') ? 1 : 0;
      }),
      { numRuns: 300 },
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  }, 60_000);
});
