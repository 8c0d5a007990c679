import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-refund',
  // With the pauses between them they outlast a transaction token, which a refund may have to wait for.
  source: busEvents(['refund_received'], { retries: 10 }),
  message: InternalEvent,
  impact:
    'Refunds stay pending: rewards of refunded orders are not reversed, and points that paid for them are not returned.',
  timeoutSeconds: 30,
  access: {
    table: {
      order: ['Query', 'UpdateItem'],
      transaction: ['GetItem', 'PutItem', 'UpdateItem'],
      partnership: ['GetItem'],
      claim: ['BatchGetItem'],
      user: ['GetItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
