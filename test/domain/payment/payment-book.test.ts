import { describe, expect, it } from 'vitest';
import { maximumCount } from '../../../shared/contracts/limits.ts';
import { moneyOf } from '../../../shared/domain/payment/money.ts';
import {
  applyPaymentEvent,
  emptyPaymentBook,
  mergePaymentBooks,
  PaymentBook,
} from '../../../shared/domain/payment/payment-book.ts';
import type { PaymentEvent } from '../../../shared/domain/payment/payment-event.ts';
import { disputeStages, eligibleBases, refundStages } from '../../../shared/domain/payment/payment-event.ts';
import { paymentPosition } from '../../../shared/domain/payment/payment-position.ts';
import { fc } from '../../support/fast-check.ts';
import { anEvent, bookOf, captured, disputed, refunded } from './a-payment.ts';

const money = fc
  .tuple(fc.constantFrom(0, 4, 10), fc.constantFrom('USD', 'USD', 'USD', 'EUR', 'JPY'))
  .map(([amount, currency]) => moneyOf(amount * 1_000, currency));
const version = fc.constantFrom(0, 0, 0, 1, 2);
const ids = fc.constantFrom('a', 'b', 'c');
const texts = fc.constantFrom('x', 'y', 'z', 'v', 'w', 'u', 't');

/** What several platforms could report about one payment, contradictions included. */
const statements = fc.oneof(
  fc
    .record({
      id: ids,
      extent: fc.constantFrom('assumed', 'part', 'total'),
      money,
      version,
      basis: fc.constantFrom(...eligibleBases),
      presented: fc.option(money, { nil: undefined }),
      share: fc.constantFrom(0.5, 0.9, 1),
    })
    .map(({ share, ...capture }) => ({
      kind: 'payment.completed',
      capture: { ...capture, eligible: Math.floor(capture.money.amount * share) },
    })),
  fc.record({ id: ids, version }).map((capture) => ({ kind: 'payment.failed', capture })),
  money.map((total) => ({ kind: 'order.completed', order: { total, eligible: Math.floor(total.amount / 2) } })),
  fc.record({ id: ids, money, version, stage: fc.constantFrom(...refundStages) }).map(({ stage, ...refund }) => ({
    kind: `refund.${stage}`,
    refund,
  })),
  money.map((refundedTotal) => ({ kind: 'refund.completed', refundedTotal })),
  fc
    .record({ id: ids, money, version, isInquiry: fc.boolean(), stage: fc.constantFrom(...disputeStages.slice(1)) })
    .map(({ stage, ...dispute }) => ({ kind: `dispute.${stage}`, dispute })),
);
const events = fc
  .record({
    statement: statements,
    hour: fc.integer({ min: 10, max: 15 }),
    customer: fc.record(
      { platformCustomerId: texts, merchantExternalId: texts, emailHash: texts },
      { requiredKeys: [] },
    ),
    orderExternalId: fc.option(texts, { nil: undefined }),
    aliases: fc.array(ids, { maxLength: 2 }),
  })
  .map(({ statement, hour, ...rest }) =>
    anEvent({ ...statement, ...rest, occurredAt: `2026-11-20T${hour}:00:00.000Z` }),
  );
const histories = fc.array(events, { maxLength: 14 });

describe('a payment book', () => {
  it('is the same when events arrive repeatedly or in another sequence', () => {
    fc.assert(
      fc.property(
        histories.chain((history) =>
          fc.tuple(
            fc.constant(history),
            fc.shuffledSubarray([...history, ...history], { minLength: 0, maxLength: 2 * history.length }),
          ),
        ),
        ([history, more]) => {
          const shuffled = [...more, ...history.filter((event) => !more.includes(event))];
          expect(bookOf(...shuffled)).toEqual(bookOf(...history));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('equals the merge of books that together contain its events', () => {
    fc.assert(
      fc.property(histories, histories, histories, (first, second, third) => {
        const [one, two, three] = [bookOf(...first), bookOf(...second), bookOf(...third)];
        const all = bookOf(...first, ...second, ...third);
        expect(mergePaymentBooks(mergePaymentBooks(one, two), three)).toEqual(all);
        expect(mergePaymentBooks(three, mergePaymentBooks(two, one))).toEqual(all);
      }),
      { numRuns: 500 },
    );
  });

  it('is the same object when an event reports nothing new', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const book = bookOf(...history);
        for (const event of history) expect(applyPaymentEvent(book, event)).toBe(book);
      }),
      { numRuns: 500 },
    );
  });

  it('has a net eligible amount between zero and the eligible amount', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const position = paymentPosition(bookOf(...history));
        const { netEligibleAmount, eligibleAmount, capturedAmount } = position;
        expect(netEligibleAmount).toBeGreaterThanOrEqual(0);
        expect(netEligibleAmount).toBeLessThanOrEqual(eligibleAmount);
        expect(eligibleAmount).toBeLessThanOrEqual(capturedAmount);
        const returned = position.refundedAmount + position.disputedAmount;
        if (returned >= capturedAmount) expect(netEligibleAmount).toBe(0);
        if (returned === 0) expect(netEligibleAmount).toBe(eligibleAmount);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is unchanged after it was stored as JSON', () => {
    fc.assert(
      fc.property(histories, events, (history, event) => {
        const book = bookOf(...history);
        const stored = PaymentBook.parse(JSON.parse(JSON.stringify(book)));
        expect(stored).toEqual(book);
        expect(applyPaymentEvent(stored, event)).toEqual(applyPaymentEvent(book, event));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the smaller of two equally exact eligible amounts', () => {
    const coarse = captured(10_000);
    const [smaller, greater] = [8_000, 9_000].map((eligible) => captured(10_000, { eligible, basis: 'subtotal' }));
    if (!smaller || !greater) throw new Error('there are two');
    for (const history of [
      [coarse, greater, smaller],
      [smaller, greater, coarse],
    ]) {
      expect(bookOf(...history)).toEqual(bookOf(smaller));
    }
  });

  it('keeps the earliest time of a capture', () => {
    const at = (occurredAt: string): PaymentEvent => ({ ...captured(100), occurredAt });
    const early = at('2026-11-20T10:00:00.000Z');
    const late = at('2026-11-22T10:00:00.000Z');
    expect(bookOf(late, early, late).paidAt).toBe('2026-11-20T10:00:00.000Z');
    expect(bookOf(refunded('re_1', 50)).paidAt).toBeUndefined();
  });

  it('accepts ids that are names of object properties, such as "constructor"', () => {
    const book = bookOf(
      captured(100, { id: 'constructor' }),
      refunded('toString', 40),
      disputed('lost', 10, { id: 'valueOf' }),
    );
    expect(paymentPosition(book).netEligibleAmount).toBe(50);
  });
});

describe('a payment book with many entries', () => {
  const refunds = (count: number) => Array.from({ length: count }, (_, at) => refunded(`re_${at}`, 1));

  it('is overfull and earns nothing when it exceeds the maximum', () => {
    const history = [captured(10_000), ...refunds(maximumCount.paymentEntries)];
    const book = bookOf(...history);
    expect(book).toEqual({ ...emptyPaymentBook, paidAt: book.paidAt, isOverfull: true });
    expect(bookOf(...history.toReversed())).toEqual(book);
    expect(applyPaymentEvent(book, captured(10_000))).toBe(book);
    expect(paymentPosition(book)).toMatchObject({ netEligibleAmount: 0, faults: ['too_many_entries'] });
  });

  it('stays overfull after any merge with another book', () => {
    const overfull = bookOf(...refunds(maximumCount.paymentEntries + 1));
    expect(mergePaymentBooks(bookOf(captured(10_000)), overfull)).toMatchObject({ isOverfull: true, captures: {} });
    expect(mergePaymentBooks(overfull, bookOf(captured(10_000)))).toMatchObject({ isOverfull: true, captures: {} });
  });

  it('counts every refund when it has the maximum of entries', () => {
    const book = bookOf(captured(10_000), ...refunds(maximumCount.paymentEntries - 1));
    expect(paymentPosition(book)).toMatchObject({ refundedAmount: maximumCount.paymentEntries - 1, faults: [] });
  });

  it('fits into an item even with the longest ids', () => {
    const long = (at: number) => `re_${at}`.padEnd(255, 'x');
    const history = Array.from({ length: maximumCount.paymentEntries }, (_, at) =>
      refunded(long(at), 9_000_000_000_000),
    );
    expect(JSON.stringify(bookOf(...history)).length).toBeLessThan(400 * 1_024);
  });

  it('keeps the five customer ids that sort first', () => {
    const named = (id: string) => anEvent({ kind: 'payment.updated', customer: { platformCustomerId: id } });
    const customers = ['g', 'c', 'a', 'f', 'b', 'e', 'd'].map(named);
    expect(bookOf(...customers).platformCustomerIds).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(bookOf(...customers.toReversed())).toEqual(bookOf(...customers));
  });
});
