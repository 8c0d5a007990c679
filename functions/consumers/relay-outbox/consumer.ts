import {
  changedWithEvents,
  defineConsumer,
  insertedInto,
  insertedWithEvents,
} from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'relay-outbox',
  source: {
    kind: 'stream',
    filters: [insertedInto('outbox'), insertedWithEvents('transaction', 'ledger'), changedWithEvents('claim', 'order')],
    batchSize: 100,
    // An event that is not published is an event that no partner hears of: an outage of the bus may last.
    retries: 'untilExpiry',
  },
  impact:
    'No event leaves the table: no webhook is sent and no reward is completed. Events wait in the stream for 24 hours.',
  severity: 'page',
  access: { table: {} },
  publishes: true,
  rejects: true,
});
