import * as z from 'zod/mini';
import type { LedgerEntry } from './transaction/ledger.ts';

/** What was moved under a campaign or a partnership, all members together. */
export const Totals = z.object({
  earnedPoints: z.int(),
  redeemedPoints: z.int(),
  transactions: z.int(),
});
export type Totals = z.infer<typeof Totals>;

export const noTotals: Totals = { earnedPoints: 0, redeemedPoints: 0, transactions: 0 };

/** The sum of some totals. */
export function sumOf(totals: readonly Totals[]): Totals {
  return totals.reduce(
    (sum, next) => ({
      earnedPoints: sum.earnedPoints + next.earnedPoints,
      redeemedPoints: sum.redeemedPoints + next.redeemedPoints,
      transactions: sum.transactions + next.transactions,
    }),
    noTotals,
  );
}

/** How much the first totals are more than the second. */
export function differenceOf(one: Totals, other: Totals): Totals {
  return {
    earnedPoints: one.earnedPoints - other.earnedPoints,
    redeemedPoints: one.redeemedPoints - other.redeemedPoints,
    transactions: one.transactions - other.transactions,
  };
}

/** What one entry of the ledger adds to the totals. */
export function totalsOf({ kind, points }: LedgerEntry): Totals {
  switch (kind) {
    case 'EARN':
      return { earnedPoints: points, redeemedPoints: 0, transactions: 1 };
    case 'REDEEM':
      return { earnedPoints: 0, redeemedPoints: -points, transactions: 1 };
    case 'OPENING':
      return noTotals;
  }
}
