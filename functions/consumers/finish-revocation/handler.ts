import { finishRevocation, finishRevocationStores } from '../../../shared/operations/connect/revoke-token.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { consumer as declaration } from './consumer.ts';

/** Revokes the remaining tokens of a revoked token family. */
export const handler = consumer(declaration, finishRevocationStores, finishRevocation);
