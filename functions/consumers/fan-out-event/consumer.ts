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
  impact: 'No partner hears of anything that happens; events wait in the queue.',
  timeoutSeconds: 30,
  access: { table: { organisation: ['Query'] } },
  sendsTo: ['deliver'],
});
