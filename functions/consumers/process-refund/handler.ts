import { processRefund, processRefundStores } from '../../../shared/operations/process-refund.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Reverses the refunded part of the rewards of external orders. All refunds of an order are applied together. */
export const handler = consumer(declaration, processRefundStores, processRefund, ({ entityId }) => entityId);
