import { defineConsumer } from '../../../shared/events/consumer.ts';
import { platformSource } from '../../../shared/events/platform-event.ts';

export const subscription = defineConsumer({
  name: 'process-refund',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['refund_received'] },
    batchSize: 10,
    retries: 10,
  },
  breaks: 'Refunds stay pending: members keep rewards of what they gave back.',
  timeoutSeconds: 30,
  access: {
    table: {
      order: ['Query', 'UpdateItem'],
      transaction: ['GetItem', 'PutItem', 'UpdateItem'],
      partnership: ['GetItem'],
      user: ['GetItem', 'UpdateItem'],
      outbox: ['PutItem'],
    },
  },
});
