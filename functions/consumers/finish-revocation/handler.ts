import { finishRevocation, finishRevocationStores } from '../../../shared/operations/revoke-token.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Revokes the tokens that a revoked family has left. */
export const handler = consumer(declaration, finishRevocationStores, finishRevocation);
