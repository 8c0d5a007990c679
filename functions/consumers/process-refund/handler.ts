import { processRefund, processRefundStores } from '../../../shared/operations/process-refund.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Reverses what an external order earned, as far as the order was refunded. */
export const handler = consumer(declaration, processRefundStores, processRefund);
