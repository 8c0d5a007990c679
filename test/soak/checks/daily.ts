import type { PurchaseReport } from '../../../shared/operations/purchase/load-book.ts';
import { checkPurchase, checkPurchaseStores } from '../../../shared/operations/reconcile/check-purchase.ts';
import { reconcileDaily, reconcileDailyStores } from '../../../shared/operations/reconcile/reconcile-daily.ts';
import { withStores } from '../../../shared/runtime/runtime.ts';
import { BookScan } from '../../../shared/store/ledger/reconciliations.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { Check } from './end.ts';

/** The daily reconciliation comes to its end, and finds no violated invariant. */
export const dailyReconciliation: Check = {
  name: 'the daily reconciliation agrees',
  find: async ({ platform, table }) => {
    const { log, lines } = silentLog();
    const scan = new BookScan(table.documents, table.name);
    const stores = withStores({ ...platform, log }, { ...reconcileDailyStores, ...checkPurchaseStores });
    const check = (report: PurchaseReport) => checkPurchase(report, stores);
    const result = await reconcileDaily({ ...stores, scan, check, pause: async () => {} });
    if (!result) return ['it did not come to its end'];
    const found = lines.filter(([, message]) => message === 'books.mismatch').map(([, , data]) => JSON.stringify(data));
    return [...found, ...(result.moving > 0 ? [`${result.moving} subjects move`] : [])];
  },
};
