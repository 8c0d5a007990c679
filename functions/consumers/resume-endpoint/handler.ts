import { webhookMs } from '../../../shared/contracts/limits.ts';
import { once } from '../../../shared/domain/memoize.ts';
import { resumeEndpoint, resumeEndpointStores } from '../../../shared/operations/webhook/resume-endpoint.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDelivery } from '../../../shared/runtime/delivery.ts';
import { consumer as declaration } from './consumer.ts';

const ports = once(() => openDelivery(webhookMs.slowAttemptDeadline));

/** Probes an endpoint that does not work, or sends some parked deliveries of an endpoint that works. */
export const handler = consumer(declaration, resumeEndpointStores, (due, deps) =>
  resumeEndpoint(due, { ...deps, ...ports() }),
);
