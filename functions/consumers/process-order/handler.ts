import { processOrder, processOrderStores } from '../../../shared/operations/process-order.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Awards an external order. */
export const handler = consumer(declaration, processOrderStores, processOrder);
