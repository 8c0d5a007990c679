import { processRefund, processRefundStores } from '../../../shared/operations/process-refund.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/**
 * Applies refunds: reverses the rewards of a refunded order or token, and returns the points that paid for it. One call
 * applies all refunds of the same order or token.
 */
export const handler = consumer(declaration, processRefundStores, processRefund, ({ entityId }) => entityId);
