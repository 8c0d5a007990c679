import { BusEvent, busEvents, defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'sync-with-program',
  ...busEvents(BusEvent, ['transaction_created', 'posting_due', 'balance_reported', 'settlement_written'], {
    retries: 10,
    maxConcurrency: 100,
  }),
  impact: 'Rewards stay pending: the programs accrue and redeem no points.',
  severity: 'page',
  access: {
    table: {
      organisation: ['GetItem'],
      transaction: ['GetItem', 'UpdateItem'],
      order: ['GetItem'],
      user: ['GetItem', 'Query', 'UpdateItem'],
      link: ['GetItem'],
      velocity: ['UpdateItem'],
      ledger: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
  sendsTo: ['program'],
});
