import { defineConsumer, deliveryAccess, endpointDueName } from '../../../shared/contracts/consumer.ts';
import { DeliveryMessage } from '../../../shared/webhooks/delivery.ts';

export const consumer = defineConsumer({
  name: 'deliver-slow-webhook',
  // Small batches, because a batch takes as long as its slowest attempt.
  source: { kind: 'queue', queue: 'deliverSlow', batchSize: 2, retries: 10, maxConcurrency: 100 },
  message: DeliveryMessage,
  impact: 'Partners whose endpoints are new, slow or unhealthy receive no webhooks; retries wait too.',
  timeoutSeconds: 60,
  access: deliveryAccess,
  sendsTo: ['deliverSlow', 'endpoint'],
  schedules: endpointDueName,
});
