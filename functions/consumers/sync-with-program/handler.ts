import { syncWithProgram, syncWithProgramStores } from '../../../shared/operations/sync-with-program.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Posts a created transaction to the partner's loyalty program, and records the answer. */
export const handler = consumer(declaration, syncWithProgramStores, (event, deps) => syncWithProgram(event, deps));
