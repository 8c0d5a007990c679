import { busEvents, defineConsumer, InternalEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'process-trigger',
  ...busEvents(InternalEvent, ['trigger_received'], { retries: 5 }),
  impact: 'Trigger events stay received: members are not rewarded for them.',
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
