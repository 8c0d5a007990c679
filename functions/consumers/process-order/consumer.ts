import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-order',
  // The award of an order may wait until a transaction token of the same purchase expires. Ten retries with their
  // pauses last longer than this wait.
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
