import { describe, expect, it } from 'vitest';
import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import {
  countSpend,
  netSpendCents,
  newPurchase,
  type Purchase,
  type Spent,
  spendOfClaim,
  spendOfOrder,
  withPaid,
  withSpent,
} from '../../shared/domain/purchase/purchase.ts';
import { fc } from '../support/fast-check.ts';
import { aMembership, anOrder, aPurchase, noon } from './fixtures.ts';

const at = noon.toISOString();
const later = '2026-03-08T12:05:00.000Z';

describe('spendOfClaim()', () => {
  it('returns the whole amount of a purchase whose token was spent', () => {
    expect(spendOfClaim(aPurchase({ state: 'SPENT', spentAt: later, amountCents: 4_250 }))).toEqual({
      userId: 10,
      merchantId: 1,
      externalTransactionId: 'A-1',
      amountCents: 4_250,
      totalCents: 4_250,
      programId: 2,
      campaignId: 5,
      at: later,
    });
  });

  it('returns undefined for a payment with points', () => {
    const [reward] = aPurchase().rewards;
    if (!reward) throw new Error('the fixture has a reward');
    const rewards = [{ ...reward, type: 'REDEEM' as const }];
    expect(spendOfClaim(aPurchase({ state: 'SPENT', spentAt: later, rewards }))).toBeUndefined();
  });

  it.each<[string, Partial<AwardClaim>]>([
    ['a live token', { state: 'ISSUED' }],
    ['a transfer of points', { isTransfer: true }],
    ['a trigger event', { kind: 'TRIGGER' }],
    ['a registration', { kind: 'REGISTRATION' }],
    ['a referral', { kind: 'REFERRAL' }],
    ['a reward of an order', { orderUuid: 'o' }],
  ])('returns undefined for %s', (_case, more) => {
    expect(spendOfClaim(aPurchase({ state: 'SPENT', spentAt: later, ...more }))).toBeUndefined();
  });
});

describe('spendOfOrder()', () => {
  it.each<[Order['state'], number | undefined]>([
    ['PENDING', undefined],
    ['PROCESSED', 9_000],
    ['REJECTED', 9_000],
    ['REFUNDED', 9_000],
  ])('returns the amount $1 for an order in the state $0', (state, amountCents) => {
    const order = anOrder({ state, totalCents: 10_800, subtotalCents: 10_000, discountCents: 1_000, createdAt: at });
    expect(spendOfOrder(order)?.amountCents).toBe(amountCents);
    if (amountCents !== undefined) {
      expect(spendOfOrder(order)).toMatchObject({ externalTransactionId: order.externalOrderId, at });
    }
  });
});

/**
 * A purchase of $100, of which $90 may earn, by a member of programs 2 and 3. The account in program 4 was linked a
 * millisecond later.
 */
const bought = (more: Partial<Spent> = {}) =>
  withSpent(
    newPurchase({ merchantId: 1, externalTransactionId: 'A-1' }),
    { userId: 10, merchantId: 1, externalTransactionId: 'A-1', amountCents: 9_000, totalCents: 10_000, at, ...more },
    [
      aMembership({ partnerId: 2, createdAt: '2026-01-01T00:00:00.000Z' }),
      aMembership({ partnerId: 3, createdAt: at }),
      aMembership({ partnerId: 4, createdAt: '2026-03-08T12:00:00.001Z' }),
    ],
  );

describe('countSpend()', () => {
  it('counts a purchase for every program that was linked when it was made', () => {
    expect(countSpend(bought()).totals).toEqual([
      { userId: 10, merchantId: 1, partnerId: 2, spentCents: 9_000 },
      { userId: 10, merchantId: 1, partnerId: 3, spentCents: 9_000 },
    ]);
  });

  it('adds nothing for a user without a linked account', () => {
    const spent = { userId: 10, merchantId: 1, externalTransactionId: 'A-1', amountCents: 9_000, at };
    expect(countSpend(withSpent(newPurchase(spent), spent, [])).totals).toEqual([]);
  });

  it('adds only the difference for a purchase that was counted before', () => {
    const { purchase } = countSpend(bought());
    expect(countSpend(withPaid(purchase, 'r', 5_000)).totals).toMatchObject([
      { spentCents: -4_500 },
      { spentCents: -4_500 },
    ]);
    expect(countSpend(purchase).totals).toEqual([]);
  });
});

describe('netSpendCents()', () => {
  it.each<[string, Purchase, number]>([
    ['the whole amount of a purchase', bought(), 9_000],
    ['the share that points did not pay', withPaid(bought(), 'r', 4_000), 5_400],
    ['nothing if points paid everything', withPaid(bought(), 'r', 10_000), 0],
    ['nothing if points paid more than the total', withPaid(withPaid(bought(), 'r', 6_000), 's', 6_000), 0],
    ['what the last settlement left', { ...withPaid(bought(), 'r', 4_000), netCents: 1_234 }, 1_234],
    [
      'the counted amount, if an earlier release recorded a refund and the purchase is not settled yet',
      { ...bought(), countedCents: 6_750, returned: { order: { cents: 2_500, ofCents: 10_000 } } },
      6_750,
    ],
    ['nothing while only a redemption is known', withPaid(newPurchase(bought()), 'r', 100), 0],
    [
      'the counted amount of a purchase whose amount is not known',
      withPaid({ ...newPurchase(bought()), countedCents: 700, isOfUnknownAmount: true }, 'r', 100),
      700,
    ],
  ])('returns %s', (_case, purchase, cents) => {
    expect(netSpendCents(purchase)).toBe(cents);
  });

  it('does not depend on the sequence of reports', () => {
    const changes = fc.array(
      fc.oneof(
        fc.nat({ max: 4 }).map((id) => (known: Purchase) => withPaid(known, `r${id}`, 1_000 * (id + 1))),
        fc.nat(9_000).map((netCents) => (known: Purchase) => (known.spent ? { ...known, netCents } : known)),
        fc.constant((known: Purchase) => (known.spent ? known : { ...known, spent: bought().spent })),
      ),
    );
    fc.assert(
      fc.property(changes, (steps) => {
        const start = newPurchase(bought());
        let [purchase, total] = [start, 0];
        for (const step of steps) {
          const counted = countSpend(step(purchase));
          purchase = counted.purchase;
          total += counted.totals[0]?.spentCents ?? 0;
        }
        const together = steps.reduce<Purchase>((known, step) => step(known), start);
        expect(total).toBe(netSpendCents(together));
        expect(total).toBeGreaterThanOrEqual(0);
        expect(total).toBeLessThanOrEqual(9_000);
      }),
    );
  });
});
