import * as z from 'zod/mini';

/** An amount of money in whole cents. */
export const Cents = z.int().check(z.gte(0));

/** Whole points of a loyalty program. */
export const Points = z.int().check(z.gte(0));

/**
 * Dollars as a JSON number, with at most two decimals, to whole cents.
 * Undefined when the number has more decimals than money has: rounding an amount would change it.
 */
export function centsOfDollars(dollars: number): number | undefined {
  const cents = Math.round(dollars * 100);
  // Dividing by 100 gives the double nearest to the decimal, which is what JSON parsing made of the text.
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents : undefined;
}

/** Whole cents as the dollars of the wire. */
export function dollarsOfCents(cents: number): number {
  return cents / 100;
}
