import { deliveryConsumer } from '../../../shared/runtime/delivery.ts';
import { consumer } from './consumer.ts';

/** Makes one attempt for each message of the fast lane. */
export const handler = deliveryConsumer(consumer, 'fast');
