import * as z from 'zod/mini';
import { maximumMinorUnits } from '../../contracts/limits.ts';

/** An amount in the smallest unit in which a payment platform counts a currency. */
export const MinorUnits = z.int().check(z.gte(0), z.lte(maximumMinorUnits));

/**
 * An amount with its currency (ISO 4217, capitals): 1099 USD with exponent 2 is $10.99, 500 JPY with exponent 0 is
 * ¥500.
 */
export const Money = z.object({
  amount: MinorUnits,
  currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
  /** How many decimals the amount has. */
  exponent: z.int().check(z.gte(0), z.lte(4)),
});
export type Money = z.infer<typeof Money>;

/** The currencies whose smallest unit is not a hundredth, by ISO 4217. */
const isoExponents: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** The currencies whose unit at a platform differs from ISO 4217, with the exponents of the platform. */
export type ExponentDeviations = Readonly<Record<string, number>>;

/**
 * How many decimals an amount of a currency has: the number of the platform if it deviates, otherwise the number of ISO
 * 4217.
 */
export function exponentOf(currency: string, deviations: ExponentDeviations = {}): number {
  if (Object.hasOwn(deviations, currency)) return deviations[currency] ?? 2;
  const listed = Object.entries(isoExponents).find(([, currencies]) => currencies.includes(currency));
  return Number(listed?.[0] ?? 2);
}

/** Makes an amount from a number of minor units of a platform. The currency may be in small letters. */
export function moneyOf(amount: number, code: string, deviations?: ExponentDeviations): Money {
  const currency = code.toUpperCase();
  return { amount, currency, exponent: exponentOf(currency, deviations) };
}

/**
 * Converts a decimal text, such as `598.94`, to minor units. Returns undefined for any other text, and for more
 * decimals than the currency has, because rounding would change the amount.
 */
export function minorUnitsOf(decimal: string, exponent: number): number | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(exponent))) return undefined;
  const amount = Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return Number.isSafeInteger(amount) ? amount : undefined;
}

/** `amount × numerator ÷ denominator`, rounded down; exact for every safe integer. Zero for a denominator of zero. */
export function shareOf(amount: number, numerator: number, denominator: number): number {
  return denominator === 0 ? 0 : Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
}
