import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { PlatformEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'sync-with-program',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['transaction_created'] },
    batchSize: 10,
    retries: 10,
  },
  message: PlatformEvent,
  impact: 'Rewards stay pending: the programs accrue and redeem no points.',
  timeoutSeconds: 30,
  access: {
    table: {
      organisation: ['GetItem'],
      transaction: ['GetItem', 'UpdateItem'],
      user: ['UpdateItem'],
      ledger: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
});
