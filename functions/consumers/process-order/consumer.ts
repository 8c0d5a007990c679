import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { InternalEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'process-order',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['order_received'] },
    batchSize: 10,
    // With the pauses between them they outlast a transaction token, which an order may have to wait for.
    retries: 10,
  },
  message: InternalEvent,
  impact: 'External orders stay pending: members are not rewarded for them.',
  timeoutSeconds: 30,
  access: {
    table: {
      order: ['Query', 'UpdateItem'],
      user: ['Query', 'UpdateItem'],
      claim: ['GetItem', 'PutItem', 'DeleteItem'],
      transaction: ['PutItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
