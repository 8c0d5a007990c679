import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'settle-purchase',
  // The award of a purchase may wait until a transaction token of the same purchase is spent or expires. Ten retries with
  // their pauses last longer than this wait.
  ...busEvents(InternalEvent, ['order_received', 'payment_changed', 'refund_received', 'purchase_changed'], {
    retries: 10,
  }),
  impact:
    'External orders and payments earn nothing and stay pending. Rewards of refunded purchases are not reversed, and points that paid for them are not returned.',
  access: {
    table: {
      order: ['Query', 'GetItem', 'UpdateItem'],
      payment: ['Query', 'GetItem', 'PutItem'],
      paymentOrder: ['Query'],
      paymentAccount: ['GetItem'],
      paymentCustomer: ['GetItem', 'PutItem'],
      unclaimedPayment: ['PutItem'],
      externalUser: ['GetItem'],
      user: ['Query', 'GetItem', 'UpdateItem'],
      ledger: ['PutItem'],
      partnership: ['GetItem'],
      countedSpend: ['GetItem', 'BatchGetItem', 'PutItem'],
      purchaseProgram: ['UpdateItem'],
      claim: ['Query', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
      transaction: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
