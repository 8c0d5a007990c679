import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-order',
  // An order may wait until a transaction token expires. Ten attempts with their pauses take longer than that.
  ...busEvents(InternalEvent, ['order_received'], { retries: 10 }),
  impact: 'External orders stay pending: members are not rewarded for them.',
  access: {
    table: {
      order: ['Query', 'UpdateItem'],
      user: ['Query', 'GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      claim: ['GetItem', 'BatchGetItem', 'PutItem', 'DeleteItem'],
      countedSpend: ['GetItem'],
      purchaseProgram: ['UpdateItem'],
      transaction: ['PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
