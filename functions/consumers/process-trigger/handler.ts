import { processTriggerStores, processTriggers } from '../../../shared/operations/award/process-trigger.ts';
import { batchConsumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Awards trigger events. */
export const handler = batchConsumer(declaration, processTriggerStores, processTriggers);
