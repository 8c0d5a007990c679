import {
  changedWithEvents,
  defineConsumer,
  insertedInto,
  insertedWithEvents,
} from '../../../shared/contracts/consumer.ts';
import { platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'relay-outbox',
  source: {
    kind: 'stream',
    filters: [insertedInto('outbox'), insertedWithEvents('transaction', 'ledger'), changedWithEvents('claim', 'order')],
    batchSize: 100,
    // Partners never learn of an event that is not published. So the retries have to outlast an outage of the bus.
    retries: 'untilExpiry',
  },
  impact:
    'No event leaves the table: no webhook is sent and no reward is completed. Events wait in the stream for 24 hours.',
  severity: 'page',
  access: { table: {} },
  publishes: [platformSource],
  rejects: true,
});
