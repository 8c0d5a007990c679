import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-refund',
  // A refund may wait until a transaction token expires. Ten retries with their pauses last longer than this wait.
  ...busEvents(InternalEvent, ['refund_received'], { retries: 10 }),
  impact:
    'Refunds stay pending: rewards of refunded orders are not reversed, and points that paid for them are not returned.',
  access: {
    table: {
      order: ['Query', 'GetItem', 'UpdateItem'],
      transaction: ['Query', 'GetItem', 'PutItem', 'UpdateItem'],
      partnership: ['GetItem'],
      claim: ['Query', 'GetItem', 'BatchGetItem', 'UpdateItem'],
      countedSpend: ['GetItem', 'PutItem'],
      user: ['GetItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
