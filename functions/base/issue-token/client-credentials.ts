import { type Scope, scopes } from '../../../shared/contracts/contract.ts';
import { toSeconds, validityMs } from '../../../shared/contracts/limits.ts';
import { newSecret } from '../../../shared/operations/user-tokens.ts';
import { digestOf } from '../../../shared/store/credential/secret-text.ts';
import type { TokenCall } from './token-call.ts';

/** A bearer token for the client itself (RFC 6749, 4.4). */
export async function grantClientCredentials({ body, caller, platform, refuse }: TokenCall) {
  const allowed = scopes.filter((scope) => isAllowed(scope, caller.permissions));
  const asked = body.scope?.split(' ').filter(Boolean) ?? allowed;
  const granted = allowed.filter((scope) => asked.includes(scope));
  if (granted.length === 0 || granted.length < new Set(asked).size) {
    return refuse('invalid_scope', `the client may ask for: ${allowed.join(' ')}`);
  }

  const token = newSecret(platform, 'bearer');
  const now = platform.now();
  await platform.credentials.add({
    kind: 'bearer',
    digest: digestOf(token),
    organisationId: caller.organisationId,
    permissions: granted,
    isRevoked: false,
    expiresAt: new Date(now.getTime() + validityMs.clientToken).toISOString(),
    createdAt: now.toISOString(),
  });
  return {
    access_token: token,
    token_type: 'Bearer' as const,
    expires_in: toSeconds(validityMs.clientToken),
    scope: granted.join(' '),
  };
}

/** A client names scopes; a partner key, which may authenticate in its place, names what they stand for. */
function isAllowed(scope: Scope, permissions: readonly string[]): boolean {
  return permissions.includes(scope) || (scope === 'templates:read' && permissions.includes('campaigns:read'));
}
