import { processOrderStores, processOrders } from '../../../shared/operations/process-order.ts';
import { batchConsumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Awards external orders. */
export const handler = batchConsumer(declaration, processOrderStores, processOrders);
