import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-order',
  // Ten receives with their pauses last longer than a transaction token, for which an order may wait.
  source: busEvents(['order_received'], { retries: 10 }),
  message: InternalEvent,
  impact: 'External orders stay pending: members are not rewarded for them.',
  timeoutSeconds: 30,
  access: {
    table: {
      order: ['Query', 'UpdateItem'],
      user: ['Query', 'GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      claim: ['GetItem', 'PutItem', 'DeleteItem'],
      transaction: ['PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
