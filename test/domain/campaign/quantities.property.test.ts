import { describe, expect, it } from 'vitest';
import type { QuantityName } from '../../../shared/domain/campaign/document/kinds/form.ts';
import { digitsOf, quantities, readQuantity, writeQuantity } from '../../../shared/domain/campaign/forms/quantities.ts';
import { fc } from '../../support/fast-check.ts';

const names = Object.keys(quantities) as QuantityName[];
const values = fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

describe.each(names)('a quantity of the sort %s', (name) => {
  const { decimals } = quantities[name];

  it('is the same number after it was written and read', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(readQuantity(writeQuantity(value, name), name)).toEqual({ value });
        expect(readQuantity(digitsOf(value, name), name)).toEqual({ value });
      }),
    );
  });

  it('is read digit by digit', () => {
    const digits = fc.tuple(fc.nat(999_999_999), fc.stringMatching(/^\d*$/, { maxLength: decimals }));
    fc.assert(
      fc.property(digits, ([whole, fraction]) => {
        const text = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
        const exact = BigInt(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, '0') || '0');
        expect(readQuantity(text, name)).toEqual({ value: Number(exact) });
      }),
    );
  });

  it('is refused when it has more decimals than the document can hold', () => {
    const text = `1.${'0'.repeat(decimals)}1`;
    expect(readQuantity(text, name)).toEqual({ fault: expect.stringMatching(/whole number|at most \d decimal/) });
    expect(readQuantity(`1.${'0'.repeat(decimals + 1)}`, name)).toEqual({ value: 10 ** decimals });
  });

  it.each(['', ' ', '.', '-1', 'two', '1e3', '0x10', '1,2', '1 000', 'NaN', '∞', '1.2.3'])('is not “%s”', (text) => {
    expect(readQuantity(text, name)).toEqual({ fault: expect.any(String) });
  });
});

it.each([
  ['2', 'pointsPerDollar', 20_000, '2 points'],
  ['0.57', 'pointsPerDollar', 5_700, '0.57 points'],
  ['.5', 'pointsPerDollar', 5_000, '0.5 points'],
  ['1 point', 'pointsPerDollar', 10_000, '1 point'],
  ['5 %', 'percent', 500, '5 %'],
  ['2.5%', 'percent', 250, '2.5 %'],
  ['$0.01', 'dollarsPerPoint', 10_000, '$0.01'],
  ['0.0075', 'dollarsPerPoint', 7_500, '$0.0075'],
  ['$1,234.5', 'money', 123_450, '$1,234.50'],
  ['×1.5', 'factor', 15_000, '×1.5'],
  ['x2', 'factor', 20_000, '×2'],
  ['12,400 points', 'points', 12_400, '12,400 points'],
  ['3 times', 'times', 3, '3 times'],
  ['30 days', 'days', 30, '30 days'],
] as const)('reads “%s” as %s, and writes it', (text, name, value, written) => {
  expect(readQuantity(text, name)).toEqual({ value });
  expect(writeQuantity(value, name)).toBe(written);
});

it.each(['0,5', '1.000,00', '$ 0,01', '1,2345'])('says that “%s” needs a point before its decimals', (text) => {
  expect(readQuantity(text, 'pointsPerDollar')).toEqual({
    fault: 'has to have a point before its decimals, as in 1,234.5',
  });
});

it('refuses a number that a document cannot hold exactly', () => {
  expect(readQuantity('9007199254740993', 'points')).toEqual({ fault: 'is too large' });
});
