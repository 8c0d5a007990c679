import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const subscription = defineConsumer({
  name: 'release-expired',
  source: { kind: 'schedule', every: 'rate(1 minute)' },
  breaks: 'Points that members reserved with tokens they never used stay reserved.',
  timeoutSeconds: 60,
  access: {
    table: {
      sequence: ['GetItem', 'UpdateItem'],
      transaction: ['UpdateItem'],
      purchase: ['GetItem', 'UpdateItem', 'DeleteItem'],
      user: ['UpdateItem'],
      outbox: ['PutItem'],
    },
    indexes: ['due'],
  },
});
