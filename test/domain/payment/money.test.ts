import { describe, expect, it } from 'vitest';
import { exponentOf, minorUnitsOf, moneyOf, shareOf } from '../../../shared/domain/payment/money.ts';
import { fc } from '../../support/fast-check.ts';

describe('exponentOf()', () => {
  it.each([
    ['USD', 2],
    ['HUF', 2],
    ['MGA', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['ISK', 0],
    ['UGX', 0],
    ['KWD', 3],
    ['BHD', 3],
    ['TND', 3],
    ['CLF', 4],
  ])('returns the decimals of ISO 4217 for the currency %s: %i', (currency, exponent) => {
    expect(exponentOf(currency)).toBe(exponent);
  });

  it('prefers the platform’s own decimals over the decimals of ISO 4217', () => {
    expect(exponentOf('ISK', { ISK: 2 })).toBe(2);
    expect(exponentOf('CVE', { CVE: 0 })).toBe(0);
  });
});

describe('minorUnitsOf()', () => {
  it.each([
    ['598.94', 2, 59_894],
    ['0.0', 2, 0],
    ['45', 2, 4_500],
    ['1500', 0, 1_500],
    ['1500.00', 0, 1_500],
    ['1.234', 3, 1_234],
    ['1.2', 3, 1_200],
    ['90071992547409.91', 2, 9_007_199_254_740_991],
  ])('reads the amount %s of a currency with %i decimals', (decimal, exponent, amount) => {
    expect(minorUnitsOf(decimal, exponent)).toBe(amount);
  });

  it.each([
    ['1.005', 2],
    ['1.5', 0],
    ['-1.00', 2],
    ['1,00', 2],
    ['', 2],
    ['1e3', 2],
    ['90071992547409.92', 2],
  ])('rejects the amount "%s" of a currency with %i decimals', (decimal, exponent) => {
    expect(minorUnitsOf(decimal, exponent)).toBeUndefined();
  });

  it('reads every amount up to 10^12 minor units exactly', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000_000_000 }), fc.constantFrom(0, 2, 3), (amount, exponent) => {
        const digits = String(amount).padStart(exponent + 1, '0');
        const at = digits.length - exponent;
        const decimal = exponent === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
        expect(minorUnitsOf(decimal, exponent)).toBe(amount);
      }),
    );
  });
});

describe('shareOf()', () => {
  it('returns an exact share even when the product exceeds the safe integers', () => {
    expect(shareOf(9_000_000_000_000, 8_999_999_999_999, 9_000_000_000_000)).toBe(8_999_999_999_999);
  });

  it('rounds the share down, and returns 0 when the denominator is 0', () => {
    expect(shareOf(100, 2, 3)).toBe(66);
    expect(shareOf(100, 1, 0)).toBe(0);
  });
});

describe('moneyOf()', () => {
  it('returns the currency in capitals', () => {
    expect(moneyOf(1_500, 'jpy')).toEqual({ amount: 1_500, currency: 'JPY', exponent: 0 });
  });
});
