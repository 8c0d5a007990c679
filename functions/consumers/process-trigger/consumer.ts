import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-trigger',
  source: busEvents(['trigger_received'], { retries: 5 }),
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
