import * as z from 'zod/mini';

/** An amount of money in whole cents. */
export const Cents = z.int().check(z.gte(0));

/** Whole points of a loyalty program. */
export const Points = z.int().check(z.gte(0));

/**
 * Converts dollars to whole cents. Returns undefined if the number has more than two decimals, because rounding would
 * change the amount.
 */
export function centsOfDollars(dollars: number): number | undefined {
  const cents = Math.round(dollars * 100);
  // Dividing by 100 gives the double nearest to the decimal, as JSON parsing does.
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents : undefined;
}

/** Converts whole cents to dollars, as replies show them. */
export function dollarsOfCents(cents: number): number {
  return cents / 100;
}
