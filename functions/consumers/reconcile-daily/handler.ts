import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../../shared/domain/memoize.ts';
import { checkPurchase, checkPurchaseStores } from '../../../shared/operations/reconcile/check-purchase.ts';
import { reconcileDaily, reconcileDailyStores } from '../../../shared/operations/reconcile/reconcile-daily.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { awsClientSettings, openDocuments, runtime } from '../../../shared/runtime/runtime.ts';
import { BookScan } from '../../../shared/store/ledger/reconciliations.ts';

const metrics = once(() => new Metrics());
const ports = once(() => ({
  scan: new BookScan(openDocuments(new DynamoDBClient(awsClientSettings())), runtime().config.tableName),
  pause: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
}));

/** Once a day, in many calls: compares all books, like the operator's command `reconcile`. */
export const handler = scheduleConsumer({ ...reconcileDailyStores, ...checkPurchaseStores }, async (deps) => {
  const finished = await reconcileDaily({ ...deps, ...ports(), check: (report) => checkPurchase(report, deps) });
  if (!finished) return;
  metrics().addMetric('BooksInconsistent', 'Count', finished.mismatches);
  metrics().addMetric('BooksMoving', 'Count', finished.moving);
  metrics().addMetric('ReconcileFinished', 'Count', 1);
  metrics().publishStoredMetrics();
});
