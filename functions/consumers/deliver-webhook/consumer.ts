import { defineConsumer } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'deliver-webhook',
  source: { kind: 'queue', queue: 'deliver', batchSize: 10, retries: 10, maxConcurrency: 50 },
  impact: 'Partners receive no webhooks; deliveries wait in the queue.',
  timeoutSeconds: 60,
  access: { table: { organisation: ['GetItem'], delivery: ['GetItem', 'PutItem'] } },
  sendsTo: ['deliver'],
});
