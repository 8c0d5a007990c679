import {
  defineConsumer,
  deliveryAccess,
  EndpointDue,
  endpointDueName,
  platformSource,
} from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'resume-endpoint',
  source: {
    kind: 'queue',
    queue: 'endpoint',
    pattern: { source: [platformSource], 'detail-type': [endpointDueName] },
    // A run for one endpoint may take a minute. In a batch, it would delay the runs for other endpoints.
    batchSize: 1,
    retries: 10,
    maxConcurrency: 100,
  },
  message: EndpointDue,
  impact: 'Endpoints that failed are not tried again, and their parked deliveries, replays and tests wait.',
  timeoutSeconds: 60,
  access: deliveryAccess,
  sendsTo: ['deliverSlow', 'endpoint'],
  schedules: endpointDueName,
});
