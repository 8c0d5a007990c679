import { deliveryConsumer } from '../../../shared/runtime/delivery.ts';
import { consumer } from './consumer.ts';

/**
 * Makes one attempt for each message of the `deliverSlow` queue: retries, and deliveries to endpoints that are new,
 * slow or unhealthy.
 */
export const handler = deliveryConsumer(consumer, 'slow');
