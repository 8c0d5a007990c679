import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { InternalEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'process-trigger',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': ['trigger_received'] },
    batchSize: 10,
    retries: 5,
  },
  message: InternalEvent,
  impact: 'Trigger events stay received: members are not rewarded for them.',
  timeoutSeconds: 30,
  access: {
    table: {
      triggerEvent: ['GetItem', 'UpdateItem'],
      user: ['Query', 'UpdateItem'],
      claim: ['PutItem'],
      transaction: ['PutItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
