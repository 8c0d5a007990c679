import { describe, expect, it } from 'vitest';
import { moneyOf } from '../../../shared/domain/payment/money.ts';
import { paymentFaults, paymentPosition } from '../../../shared/domain/payment/payment-position.ts';
import { bookOf, captured, captureFailed, disputed, ordered, refunded, refundedInTotal, usd } from './a-payment.ts';

const netEligible = (book: Parameters<typeof paymentPosition>[0]) => paymentPosition(book).netEligibleAmount;

describe('a payment with captures', () => {
  it('earns on its eligible amount', () => {
    const position = paymentPosition(bookOf(captured(10_000, { eligible: 9_000, basis: 'subtotal' })));
    expect(position).toEqual({
      currency: 'USD',
      exponent: 2,
      capturedAmount: 10_000,
      refundedAmount: 0,
      disputedAmount: 0,
      eligibleAmount: 9_000,
      basis: 'subtotal',
      netEligibleAmount: 9_000,
      faults: [],
    });
  });

  it('adds up its captured parts, each part once', () => {
    const part = (id: string, amount: number, eligible: number) => captured(amount, { id, extent: 'part', eligible });
    const book = bookOf(part('c1', 6_000, 5_000), part('c2', 4_000, 4_000), part('c1', 6_000, 5_000));
    expect(paymentPosition(book)).toMatchObject({ capturedAmount: 10_000, netEligibleAmount: 9_000 });
  });

  it('counts only the highest of its captured totals', () => {
    const book = bookOf(captured(10_000, { id: 'pi_1' }), captured(4_000), captured(10_000));
    expect(paymentPosition(book).capturedAmount).toBe(10_000);
  });

  it('counts the higher of total and sum of parts', () => {
    const parts = [captured(3_000, { id: 'c1', extent: 'part' }), captured(4_000, { id: 'c2', extent: 'part' })];
    expect(paymentPosition(bookOf(...parts, captured(10_000))).capturedAmount).toBe(10_000);
    expect(paymentPosition(bookOf(...parts, captured(5_000))).capturedAmount).toBe(7_000);
  });

  it('does not count a part that failed', () => {
    const parts = [captured(6_000, { id: 'c1', extent: 'part' }), captured(4_000, { id: 'c2', extent: 'part' })];
    expect(netEligible(bookOf(...parts, captureFailed('c2')))).toBe(6_000);
  });

  it('counts an assumed capture until the platform reports a result', () => {
    const assumed = captured(10_000, { id: 'auth', extent: 'assumed' });
    expect(netEligible(bookOf(assumed))).toBe(10_000);
    expect(netEligible(bookOf(assumed, captured(6_000, { id: 'c1', extent: 'part' })))).toBe(6_000);
    expect(netEligible(bookOf(assumed, captured(8_000)))).toBe(8_000);
    expect(netEligible(bookOf(assumed, captureFailed('auth')))).toBe(0);
    expect(netEligible(bookOf(assumed, captureFailed('c1')))).toBe(0);
  });

  it('counts two assumed captures once', () => {
    const assumed = (id: string) => captured(10_000, { id, extent: 'assumed' });
    expect(netEligible(bookOf(assumed('session'), assumed('invoice')))).toBe(10_000);
  });

  it('earns on the more exact of two eligible amounts', () => {
    const coarse = captured(10_000, { id: 'ch_1' });
    const exact = captured(10_000, { id: 'pi_1', eligible: 9_000, basis: 'partial' });
    expect(paymentPosition(bookOf(coarse, exact))).toMatchObject({ eligibleAmount: 9_000, basis: 'partial' });
    expect(paymentPosition(bookOf(exact, coarse))).toMatchObject({ eligibleAmount: 9_000, basis: 'partial' });
  });

  it('earns nothing when its captures have two currencies', () => {
    const book = bookOf(captured(10_000), captured(10_000, { id: 'ch_2', money: moneyOf(10_000, 'EUR') }));
    expect(paymentPosition(book)).toMatchObject({ netEligibleAmount: 0, faults: ['captured_in_two_currencies'] });
  });
});

describe('a payment for an order', () => {
  it('earns on the order’s eligible amount, whether payment or order is reported first', () => {
    expect(netEligible(bookOf(captured(12_000), ordered(12_000, 10_000)))).toBe(10_000);
    expect(netEligible(bookOf(ordered(12_000, 10_000), captured(12_000)))).toBe(10_000);
  });

  it('earns nothing while only the order is reported', () => {
    expect(netEligible(bookOf(ordered(12_000, 10_000)))).toBe(0);
  });

  it('earns in proportion when it pays only a part of the order', () => {
    expect(netEligible(bookOf(captured(6_000), ordered(12_000, 10_000)))).toBe(5_000);
  });

  it('earns nothing on a tip outside the order', () => {
    expect(netEligible(bookOf(captured(13_000), ordered(12_000, 10_000)))).toBe(10_000);
  });

  it('uses the latest report of the order', () => {
    const earlier = ordered(12_000, 10_000, '2026-11-20T10:00:00.000Z');
    const later = ordered(11_000, 9_000, '2026-11-20T10:00:01.000Z');
    expect(netEligible(bookOf(captured(11_000), later, earlier))).toBe(9_000);
  });

  it('ignores an order in another currency and has a fault', () => {
    const book = bookOf(captured(10_000), ordered(12_000, 10_000, undefined, 'EUR'));
    expect(paymentPosition(book)).toMatchObject({ netEligibleAmount: 10_000, faults: ['order_in_another_currency'] });
  });
});

describe('a payment with refunds', () => {
  it.each([
    { of: 10_000, refunds: [4_000, 4_000], net: 2_000 },
    { of: 1_000, refunds: [400, 600], net: 0 },
    { of: 120, refunds: [20, 100], net: 0 },
  ])(
    'earns on $net of $of after refunds of $refunds, reported one by one, as running totals, or in both ways',
    ({ of, refunds, net }) => {
      const each = refunds.map((amount, position) => refunded(`re_${position}`, amount));
      const totals = refunds.map((_, position) =>
        refundedInTotal(refunds.slice(0, position + 1).reduce((sum, amount) => sum + amount, 0)),
      );
      expect(netEligible(bookOf(captured(of), ...each))).toBe(net);
      expect(netEligible(bookOf(captured(of), ...totals))).toBe(net);
      expect(netEligible(bookOf(...totals.toReversed(), ...each, captured(of)))).toBe(net);
    },
  );

  it('rounds its net amount down to the minor unit', () => {
    expect(netEligible(bookOf(captured(10_000, { eligible: 9_999 }), refunded('re_1', 3_333)))).toBe(6_666);
  });

  it('counts a refund that was reported before the capture', () => {
    expect(paymentPosition(bookOf(refunded('re_1', 4_000)))).toMatchObject({
      currency: undefined,
      netEligibleAmount: 0,
    });
    expect(netEligible(bookOf(refunded('re_1', 4_000), captured(10_000)))).toBe(6_000);
  });

  it('counts a pending refund only after its completion', () => {
    const pending = refunded('re_1', 4_000, { stage: 'pending' });
    expect(netEligible(bookOf(captured(10_000), pending))).toBe(10_000);
    expect(netEligible(bookOf(captured(10_000), refunded('re_1', 4_000), pending))).toBe(6_000);
  });

  it('ignores a failed refund although a running total included it', () => {
    const failed = refunded('re_1', 4_000, { stage: 'failed' });
    const before = [captured(10_000), refunded('re_1', 4_000), refundedInTotal(4_000)];
    expect(netEligible(bookOf(...before))).toBe(6_000);
    expect(netEligible(bookOf(...before, failed))).toBe(10_000);
    expect(netEligible(bookOf(failed, ...before))).toBe(10_000);
  });

  it('counts a refund although an earlier one failed', () => {
    const failed = refunded('re_1', 4_000, { stage: 'failed' });
    const book = bookOf(
      captured(10_000),
      refundedInTotal(4_000),
      failed,
      refunded('re_2', 3_000),
      refundedInTotal(3_000),
    );
    expect(netEligible(book)).toBe(7_000);
  });

  it('counts only the highest of a refund’s numbered versions', () => {
    const completed = refunded('re_1', 4_000, { version: 10 });
    const failedBefore = refunded('re_1', 4_000, { stage: 'failed', version: 7 });
    expect(netEligible(bookOf(captured(10_000), completed, failedBefore))).toBe(6_000);
  });

  it('has a fault when the refunds exceed the captured amount', () => {
    const book = bookOf(captured(10_000), refunded('re_1', 8_000), refunded('re_2', 8_000));
    expect(paymentPosition(book)).toMatchObject({
      refundedAmount: 16_000,
      netEligibleAmount: 0,
      faults: ['returned_more_than_captured'],
    });
  });

  it('ignores a refund in another currency and has a fault', () => {
    const book = bookOf(captured(10_000), refunded('re_1', 4_000, { currency: 'EUR' }), refundedInTotal(4_000, 'EUR'));
    expect(paymentPosition(book)).toMatchObject({
      netEligibleAmount: 10_000,
      faults: ['refunded_in_another_currency'],
    });
  });

  it('converts a refund in the customer’s currency to the payment’s currency', () => {
    const sale = captured(6_033, { money: moneyOf(6_033, 'AUD'), eligible: 4_562, presented: usd(4_585) });
    expect(paymentPosition(bookOf(sale, refunded('r1', 1_000)))).toMatchObject({ refundedAmount: 1_315, faults: [] });
    expect(netEligible(bookOf(sale, refunded('r1', 1_000), refunded('r2', 3_585)))).toBe(0);
  });
});

describe('a payment with disputes', () => {
  const payment = captured(10_000);

  it.each([
    ['an inquiry', disputed('opened', 10_000, { isInquiry: true }), 10_000],
    ['a dispute that is only opened', disputed('opened', 10_000), 10_000],
    ['withdrawn funds', disputed('funds_withdrawn', 10_000), 0],
    ['a lost dispute', disputed('lost', 10_000), 0],
    ['a lost dispute of a part', disputed('lost', 2_500), 7_500],
    ['a won dispute', disputed('won', 10_000), 10_000],
    ['reinstated funds', disputed('reinstated', 10_000), 10_000],
  ])('counts the right amount after %s', (_, dispute, net) => {
    expect(netEligible(bookOf(payment, dispute))).toBe(net);
    expect(netEligible(bookOf(dispute, payment))).toBe(net);
  });

  it.each(['won', 'reinstated'])('gets the withdrawn money back once when the dispute is %s', (stage) => {
    const events = [disputed('opened', 10_000), disputed('funds_withdrawn', 10_000), disputed(stage, 10_000)];
    expect(netEligible(bookOf(payment, ...events, ...events))).toBe(10_000);
    expect(netEligible(bookOf(...events.toReversed(), payment))).toBe(10_000);
  });

  it('loses reinstated money again when the dispute is lost', () => {
    const events = [disputed('funds_withdrawn', 10_000), disputed('reinstated', 10_000), disputed('lost', 10_000)];
    expect(netEligible(bookOf(payment, ...events))).toBe(0);
    expect(netEligible(bookOf(...events.toReversed(), payment))).toBe(0);
  });

  it('adds up several disputes', () => {
    const two = [disputed('lost', 3_000, { id: 'dp_1' }), disputed('funds_withdrawn', 2_000, { id: 'dp_2' })];
    expect(netEligible(bookOf(payment, ...two))).toBe(5_000);
    expect(netEligible(bookOf(payment, ...two, disputed('won', 2_000, { id: 'dp_2' })))).toBe(7_000);
  });

  it('has a fault when refund and dispute together exceed the captured amount', () => {
    const book = bookOf(payment, refunded('re_1', 4_000), disputed('lost', 10_000));
    expect(paymentPosition(book)).toMatchObject({ netEligibleAmount: 0, faults: ['returned_more_than_captured'] });
    expect(netEligible(bookOf(payment, refunded('re_1', 4_000), disputed('won', 10_000)))).toBe(6_000);
  });

  it('earns nothing while a dispute in another currency withdraws funds', () => {
    const book = bookOf(payment, disputed('funds_withdrawn', 500, { currency: 'EUR' }));
    expect(paymentPosition(book)).toMatchObject({ netEligibleAmount: 0, faults: ['disputed_in_another_currency'] });
    const won = disputed('won', 500, { currency: 'EUR' });
    expect(netEligible(bookOf(payment, disputed('funds_withdrawn', 500, { currency: 'EUR' }), won))).toBe(10_000);
  });
});

describe('the net amount of a payment', () => {
  it.each([
    ['JPY', 1_500, 500, 1_000],
    ['KWD', 1_234_560, 234_560, 1_000_000],
    ['USD', 1_099, 99, 1_000],
  ])('is exact after a refund in %s', (currency, amount, refund, net) => {
    const money = moneyOf(amount, currency);
    const book = bookOf(captured(amount, { money }), refunded('re_1', refund, { currency }));
    expect(paymentPosition(book)).toMatchObject({ currency, exponent: money.exponent, netEligibleAmount: net });
  });
});

describe('the faults of a payment', () => {
  it.each(Object.entries(paymentFaults))('include %s, which a sentence explains', (_, sentence) => {
    expect(sentence).toMatch(/^[A-Z].+: .+\.$/);
  });
});
