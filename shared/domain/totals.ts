import * as z from 'zod/mini';
import type { LedgerEntry } from './transaction/ledger.ts';

/** What was moved under a campaign or a partnership, all members together, less what was taken back of it. */
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

/** What one entry of the ledger adds to the totals. */
export function totalsOf({ kind, points }: LedgerEntry): Totals {
  switch (kind) {
    case 'EARN':
      return { earnedPoints: points, redeemedPoints: 0, transactions: 1 };
    case 'REDEEM':
      return { earnedPoints: 0, redeemedPoints: -points, transactions: 1 };
    // Net: what is taken back was never earned or redeemed. It is no transaction more.
    case 'EARN_REVERSAL':
      return { earnedPoints: points, redeemedPoints: 0, transactions: 0 };
    case 'REDEEM_REVERSAL':
      return { earnedPoints: 0, redeemedPoints: -points, transactions: 0 };
    case 'OPENING':
    case 'SHORTFALL':
      return noTotals;
  }
}
