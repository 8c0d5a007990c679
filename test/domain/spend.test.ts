import { describe, expect, it } from 'vitest';
import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import { spendOfClaim, spendOfOrder, spendTotals } from '../../shared/domain/order/spend.ts';
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
      at: later,
    });
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

describe('spendTotals()', () => {
  const spent = { userId: 10, merchantId: 1, externalTransactionId: 'A-1', amountCents: 500, at };

  it('returns a total for every program that was linked at the time of the purchase', () => {
    const memberships = [
      aMembership({ partnerId: 2, createdAt: '2026-01-01T00:00:00.000Z' }),
      aMembership({ partnerId: 3, createdAt: at }),
      aMembership({ partnerId: 4, createdAt: '2026-03-08T12:00:00.001Z' }),
    ];
    expect(spendTotals(spent, memberships)).toEqual([
      { userId: 10, merchantId: 1, partnerId: 2, spentCents: 500 },
      { userId: 10, merchantId: 1, partnerId: 3, spentCents: 500 },
    ]);
  });

  it('returns no total for a user without a linked account', () => {
    expect(spendTotals(spent, [])).toEqual([]);
  });
});
