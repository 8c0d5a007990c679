import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'release-expired',
  source: { kind: 'schedule', every: 'rate(1 minute)' },
  impact: 'Points that are held by expired tokens stay held.',
  timeoutSeconds: 60,
  access: {
    table: {
      sequence: ['GetItem', 'UpdateItem'],
      transaction: ['UpdateItem'],
      claim: ['GetItem', 'UpdateItem', 'DeleteItem'],
      purchaseProgram: ['UpdateItem'],
      user: ['GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      outbox: ['PutItem'],
    },
    indexes: ['due'],
  },
});
