import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { bookAttributes } from '../../../shared/contracts/table.ts';

export const consumer = defineConsumer({
  name: 'reconcile-daily',
  // Each call continues the day's reconciliation where the previous call stopped.
  source: { kind: 'schedule', every: 'rate(15 minutes)' },
  impact: 'The books are not compared with the ledger: a wrong balance is noticed only when a member asks.',
  timeoutSeconds: 780,
  access: {
    table: {
      sequence: ['GetItem', 'PutItem', 'Query', 'BatchWriteItem'],
      partnership: ['Query', 'GetItem'],
      programAccount: ['BatchGetItem'],
      // The books of the purchases that changed.
      countedSpend: ['BatchGetItem', 'GetItem'],
      order: ['Query', 'GetItem'],
      payment: ['Query', 'GetItem'],
      paymentOrder: ['Query'],
      paymentAccount: ['GetItem'],
      claim: ['BatchGetItem', 'Query'],
      transaction: ['BatchGetItem', 'GetItem', 'Query'],
    },
    indexes: ['byMerchant'],
    scans: bookAttributes,
  },
});
