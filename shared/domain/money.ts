import * as z from 'zod/mini';

/** An amount of money in whole cents. */
export const Cents = z.int().check(z.gte(0));

/** Whole points of a loyalty program. */
export const Points = z.int().check(z.gte(0));

/** The largest amount one purchase may have: $10,000,000.00. */
export const maximumAmountCents = 1_000_000_000;

/** The most points one purchase may be worth: thousands of such awards still add up exactly. */
export const maximumPoints = 1_000_000_000_000;

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
