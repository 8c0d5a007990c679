import { defineConsumer } from '../../../shared/contracts/consumer.ts';
import { DeliveryMessage } from '../../../shared/webhooks/subscription.ts';

export const consumer = defineConsumer({
  name: 'deliver-webhook',
  source: { kind: 'queue', queue: 'deliver', batchSize: 10, retries: 10, maxConcurrency: 50 },
  message: DeliveryMessage,
  impact: 'Partners receive no webhooks; deliveries wait in the deliver queue.',
  timeoutSeconds: 60,
  access: { table: { organisation: ['GetItem'], delivery: ['GetItem', 'PutItem'] } },
  sendsTo: ['deliver'],
});
