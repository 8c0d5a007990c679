import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-payment',
  // The award of a payment may wait until a transaction token of the same purchase is spent or expires. Ten retries
  // with their pauses last longer than this wait.
  ...busEvents(InternalEvent, ['payment_changed'], { retries: 10 }),
  impact: 'Payments that were recorded earn nothing, and their refunds and disputes reverse nothing.',
  access: {
    table: {
      payment: ['Query', 'GetItem', 'PutItem'],
      paymentAccount: ['GetItem'],
      paymentCustomer: ['GetItem', 'PutItem'],
      unclaimedPayment: ['PutItem'],
      externalUser: ['GetItem'],
      order: ['GetItem', 'Query'],
      user: ['Query', 'GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      partnership: ['GetItem'],
      countedSpend: ['GetItem', 'PutItem'],
      purchaseProgram: ['UpdateItem'],
      claim: ['Query', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      transaction: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
