import { busEvents, defineConsumer, eventNames, PlatformEvent } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'fan-out-event',
  ...busEvents(PlatformEvent, eventNames, { retries: 10, maxConcurrency: 100 }),
  impact: 'Partners receive no webhooks; events wait in the queue of fan-out-event.',
  severity: 'page',
  access: { table: { webhook: ['Query'] } },
  sendsTo: ['deliver', 'deliverSlow'],
});
