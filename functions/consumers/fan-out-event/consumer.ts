import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { eventNames, PlatformEvent, platformSource } from '../../../shared/contracts/events.ts';

export const consumer = defineConsumer({
  name: 'fan-out-event',
  source: {
    kind: 'bus',
    pattern: { source: [platformSource], 'detail-type': eventNames },
    batchSize: 10,
    retries: 10,
  },
  message: PlatformEvent,
  impact: 'Partners receive no webhooks; events wait in the queue of fan-out-event.',
  timeoutSeconds: 30,
  access: { table: { organisation: ['Query'] } },
  sendsTo: ['deliver'],
});
