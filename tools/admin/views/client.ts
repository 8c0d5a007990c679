import type { OAuthClient } from '../../../shared/store/organisation/clients.ts';
import { moment, table } from '../cli/text.ts';
import { stateOf } from './key.ts';

/** An OAuth client for scripts, without the digest of its secret. */
export function clientView({ clientId, organisationId, scopes, isRevoked, createdAt }: OAuthClient) {
  return { clientId, organisationId, scopes, isRevoked, createdAt };
}

/** OAuth clients for people. */
export function clientsTable(clients: readonly OAuthClient[]): string {
  if (clients.length === 0) return 'none';
  return table(
    ['client id', 'state', 'made', 'scopes'],
    clients.map((one) => [one.clientId, stateOf(one.isRevoked), moment(one.createdAt), one.scopes.join(' ')]),
  );
}
