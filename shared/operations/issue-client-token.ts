import { type Scope, scopes } from '../contracts/contract.ts';
import { toSeconds, validityMs } from '../contracts/limits.ts';
import { Credentials } from '../store/credential/credentials.ts';
import { digestOf } from '../store/credential/secret-text.ts';
import type { Deps } from './deps.ts';
import { newSecret } from './user-tokens.ts';

export const issueClientTokenStores = { credentials: Credentials };

/** A client, and the scopes that it asks for, separated by spaces; all of its own by default. */
export interface ClientTokenRequest {
  readonly organisationId: number;
  readonly permissions: readonly string[];
  readonly scope: string | undefined;
}

/** A bearer token. Only its digest is stored. */
export interface ClientToken {
  readonly accessToken: string;
  readonly scope: string;
  readonly expiresInSeconds: number;
}

/** The client asks for no scope, an unknown one, or one that it does not have. */
export class InvalidScopeError extends Error {
  override readonly name = 'InvalidScopeError';

  constructor(allowed: readonly Scope[]) {
    super(`the client may ask for: ${allowed.join(' ')}`);
  }
}

/**
 * Issues a bearer token to a client for itself (RFC 6749, 4.4).
 *
 * @throws InvalidScopeError
 */
export async function issueClientToken(
  { organisationId, permissions, scope }: ClientTokenRequest,
  deps: Deps<typeof issueClientTokenStores>,
): Promise<ClientToken> {
  const allowed = scopes.filter((each) => isAllowed(each, permissions));
  const requested = scope?.split(' ').filter(Boolean) ?? allowed;
  const granted = allowed.filter((each) => requested.includes(each));
  if (granted.length === 0 || granted.length < new Set(requested).size) throw new InvalidScopeError(allowed);

  const accessToken = newSecret(deps, 'bearer');
  const now = deps.now();
  await deps.credentials.add({
    kind: 'bearer',
    digest: digestOf(accessToken),
    organisationId,
    permissions: granted,
    isRevoked: false,
    expiresAt: new Date(now.getTime() + validityMs.clientToken).toISOString(),
    createdAt: now.toISOString(),
  });
  return { accessToken, scope: granted.join(' '), expiresInSeconds: toSeconds(validityMs.clientToken) };
}

/** A client has scopes; a partner key, which may authenticate in its place, has permissions. */
function isAllowed(scope: Scope, permissions: readonly string[]): boolean {
  return permissions.includes(scope) || (scope === 'templates:read' && permissions.includes('campaigns:read'));
}
