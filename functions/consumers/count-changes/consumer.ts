import { changedTo, defineConsumer, insertedInto } from '../../../shared/contracts/consumer.ts';

/** One consumer for all counters, because AWS throttles a stream that has more than two readers. */
export const consumer = defineConsumer({
  name: 'count-changes',
  source: {
    kind: 'stream',
    filters: [
      // Receipts of payment events change no counter: they only feed metrics.
      insertedInto('ledger', 'paymentReceipt'),
      changedTo('claim', ['SPENT']),
      // The consumer ignores later changes of an order, such as refunds.
      changedTo('order', ['PROCESSED', 'REJECTED'], ['PENDING']),
    ],
    batchSize: 100,
    // Enough for an outage of about an hour. After that, the failing batch goes to the dead-letter queue, and the next
    // batches are counted.
    retries: 60,
  },
  impact:
    'Totals of campaigns and partnerships stay as they are. The spend of members stays as it is: campaigns that require a total spend reward some members too late.',
  access: {
    table: {
      counted: ['PutItem'],
      countedSpend: ['GetItem', 'PutItem'],
      outbox: ['PutItem'],
      partnership: ['UpdateItem'],
      user: ['Query', 'UpdateItem'],
    },
  },
});
