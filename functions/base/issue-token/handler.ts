import { type Scope, scopes } from '../../../shared/http/contract.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { Credentials } from '../../../shared/store/credentials.ts';
import { digestOf, secretText } from '../../../shared/store/secret-text.ts';
import { contract } from './contract.ts';

const validSeconds = 3600;

export const handler = endpoint(contract, { credentials: Credentials }, async ({ body, caller, platform, refuse }) => {
  if (body.grant_type !== 'client_credentials') {
    return refuse('unsupported_grant_type', 'grant_type must be client_credentials');
  }
  const allowed = scopes.filter((scope) => isAllowed(scope, caller.permissions));
  const asked = body.scope?.split(' ').filter(Boolean) ?? allowed;
  const granted = allowed.filter((scope) => asked.includes(scope));
  if (granted.length === 0 || granted.length < new Set(asked).size) {
    return refuse('invalid_scope', `the client may ask for: ${allowed.join(' ')}`);
  }

  const token = secretText('bearer', platform.config.stage, platform.random(32));
  const now = platform.now();
  await platform.credentials.add({
    kind: 'bearer',
    digest: digestOf(token),
    organisationId: caller.organisationId,
    permissions: granted,
    isRevoked: false,
    expiresAt: new Date(now.getTime() + validSeconds * 1000).toISOString(),
    createdAt: now.toISOString(),
  });
  return { access_token: token, token_type: 'Bearer' as const, expires_in: validSeconds, scope: granted.join(' ') };
});

/** A client names scopes; a partner key, which may authenticate in its place, names what they stand for. */
function isAllowed(scope: Scope, permissions: readonly string[]): boolean {
  return permissions.includes(scope) || (scope === 'templates:read' && permissions.includes('campaigns:read'));
}
