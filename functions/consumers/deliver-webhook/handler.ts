import { deliveryConsumer } from '../../../shared/runtime/delivery.ts';
import { consumer } from './consumer.ts';

/** Makes one attempt for each message of the `deliver` queue. Their endpoints' last replies were quick successes. */
export const handler = deliveryConsumer(consumer, 'fast');
