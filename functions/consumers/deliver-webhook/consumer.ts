import { defineConsumer, deliveryAccess, endpointDueName } from '../../../shared/contracts/consumer.ts';
import { DeliveryMessage } from '../../../shared/webhooks/delivery.ts';

export const consumer = defineConsumer({
  name: 'deliver-webhook',
  source: { kind: 'queue', queue: 'deliver', batchSize: 10, retries: 10, maxConcurrency: 300 },
  message: DeliveryMessage,
  impact: 'Partners whose endpoints work receive no webhooks; deliveries wait in the deliver queue.',
  severity: 'page',
  access: deliveryAccess,
  sendsTo: ['deliverSlow', 'endpoint'],
  schedules: endpointDueName,
});
