import { busEvents, defineConsumer, PlatformEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'sync-with-program',
  source: busEvents(['transaction_created'], { retries: 10 }),
  message: PlatformEvent,
  impact: 'Rewards stay pending: the programs accrue and redeem no points.',
  timeoutSeconds: 30,
  access: {
    table: {
      organisation: ['GetItem'],
      transaction: ['GetItem', 'UpdateItem'],
      order: ['GetItem'],
      user: ['GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
});
