import { processTrigger, processTriggerStores } from '../../../shared/operations/process-trigger.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Awards a trigger event. */
export const handler = consumer(declaration, processTriggerStores, processTrigger);
