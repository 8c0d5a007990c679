import { processRefund, processRefundStores } from '../../../shared/operations/process-refund.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Reverses the rewards of external orders as far as the orders were refunded: all refunds of an order together. */
export const handler = consumer(declaration, processRefundStores, processRefund, ({ entityId }) => entityId);
