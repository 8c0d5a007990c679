import { describe, expect, it } from 'vitest';
import { maximumAmountCents } from '../../shared/contracts/limits.ts';
import { centsOfDollars, dollarsOfCents } from '../../shared/domain/money.ts';
import { fc } from '../support/fast-check.ts';

/** The amount as JSON text. */
const written = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

describe('centsOfDollars()', () => {
  it('reads every amount from $0.00 to $20,000.00 exactly', () => {
    const wrong: string[] = [];
    for (let cents = 0; cents <= 2_000_000; cents += 1) {
      if (centsOfDollars(JSON.parse(written(cents))) !== cents) wrong.push(written(cents));
    }

    expect(wrong).toEqual([]);
  });

  it('is the inverse of dollarsOfCents() up to the maximum', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: maximumAmountCents }), (cents) => {
        expect(centsOfDollars(JSON.parse(written(cents)))).toBe(cents);
        expect(centsOfDollars(dollarsOfCents(cents))).toBe(cents);
      }),
      { numRuns: 1_000 },
    );
  });

  it('rejects amounts with more than two decimals', () => {
    const thousandths = fc.integer({ min: 0, max: maximumAmountCents * 10 }).filter((amount) => amount % 10 !== 0);
    fc.assert(
      fc.property(thousandths, (amount) => {
        expect(centsOfDollars(amount / 1000)).toBeUndefined();
      }),
    );
  });

  it.each([0.001, 1.005, 0.1 + 0.2, 19.999999, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
    'rejects the amount %d',
    (dollars) => {
      expect(centsOfDollars(dollars)).toBeUndefined();
    },
  );
});
