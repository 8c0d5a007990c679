import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'reconcile-daily',
  // Each call continues the day's reconciliation where the previous call stopped.
  source: { kind: 'schedule', every: 'rate(15 minutes)' },
  impact: 'The books are not compared with the ledger: a wrong balance is noticed only when a member asks.',
  timeoutSeconds: 780,
  access: {
    table: {
      user: ['GetItem'],
      transaction: ['GetItem'],
      ledger: ['Query'],
      sequence: ['GetItem', 'PutItem'],
    },
    listsKeys: true,
  },
});
