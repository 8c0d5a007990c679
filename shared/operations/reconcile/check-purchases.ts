import { maximumCount, timingMs } from '../../contracts/limits.ts';
import { areRefundsApplied } from '../../domain/order/refund.ts';
import type { Books, Mismatch } from '../../domain/reconciliation/invariants.ts';
import { purchaseName } from '../../store/member/spend.ts';
import type { PurchaseReport } from '../purchase/load-book.ts';

/** Finds the purchases of books, and checks them one after the other. */

/** One thing that is known of a purchase. */
interface Trace {
  readonly key: PurchaseReport['key'];
  readonly campaignId?: number | undefined;
  /** ISO 8601; undefined if it is not known. */
  readonly at: string | undefined;
  readonly hasOpenRefunds?: boolean | undefined;
}

/**
 * The purchases of books: of heads, claims, orders, payments and transactions. The result names the campaigns that a
 * head may not know yet.
 *
 * @param since leaves out purchases of which nothing changed since, and whose refunds are all applied
 */
export function purchasesIn(
  books: Pick<Books, 'transactions' | 'claims' | 'spending'>,
  since = new Date(0),
): PurchaseReport[] {
  return [...Map.groupBy(tracesIn(books), ({ key }) => purchaseName(key)).values()].flatMap((traces) => {
    const isWanted = traces.some(
      ({ at, hasOpenRefunds = false }) => hasOpenRefunds || (at !== undefined && Date.parse(at) >= since.getTime()),
    );
    const campaignIds = [...new Set(traces.flatMap(({ campaignId }) => campaignId ?? []))];
    return isWanted ? traces.slice(0, 1).map(({ key }) => ({ key, campaignIds })) : [];
  });
}

function tracesIn({ transactions, claims, spending }: Pick<Books, 'transactions' | 'claims' | 'spending'>): Trace[] {
  return [
    ...transactions.flatMap(({ externalTransactionId, merchantId, campaignId, otherLegId, updatedAt: at }): Trace[] =>
      externalTransactionId === null || otherLegId !== undefined
        ? []
        : [{ key: { merchantId, externalTransactionId }, campaignId, at }],
    ),
    ...claims
      .filter(({ kind, state, isTransfer }) => kind === 'PURCHASE' && state === 'SPENT' && !isTransfer)
      .map((claim): Trace => {
        const { merchantId, externalTransactionId, campaignId, spentAt: at } = claim;
        return {
          ...{ key: { merchantId, externalTransactionId }, campaignId, at },
          hasOpenRefunds: !areRefundsApplied(claim),
        };
      }),
    ...(spending?.reported ?? []).map(
      ({ merchantId, externalTransactionId, reportedAt: at, hasOpenRefunds }): Trace => ({
        ...{ key: { merchantId, externalTransactionId }, at, hasOpenRefunds },
      }),
    ),
    // A head without a member is found by its transactions.
    ...(spending?.purchases ?? [])
      .filter(({ spent }) => spent !== undefined)
      .map(({ merchantId, externalTransactionId, updatedAt: at }): Trace => {
        return { key: { merchantId, externalTransactionId }, at: at ?? new Date(0).toISOString() };
      }),
  ];
}

/** `purchase order-1 of merchant 3` */
export const purchaseText = ({ merchantId, externalTransactionId }: PurchaseReport['key']): string =>
  `purchase ${externalTransactionId} of merchant ${merchantId}`;

/** How purchases are checked: one by one, with pauses. */
export interface PurchaseChecks {
  readonly check: (report: PurchaseReport) => Promise<readonly Mismatch[]>;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** Checks purchases, a few at a time, so that the reading throttles no endpoint. */
export async function checkPurchases(
  reports: readonly PurchaseReport[],
  { check, pause }: PurchaseChecks,
): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (let next = 0; next < reports.length; next += maximumCount.checkedTogether) {
    if (next > 0) await pause(timingMs.reconcilePause);
    const together = reports.slice(next, next + maximumCount.checkedTogether);
    found.push(...(await Promise.all(together.map(check))).flat());
  }
  return found;
}
