import { Credentials, digestOf, Grants, isSecretText } from '../store/credential/credentials.ts';
import type { Deps } from './operation.ts';

export const revokeTokenStores = { credentials: Credentials, grants: Grants };

/**
 * Revokes a client's token (RFC 7009). A refresh token or a code revokes every token of its grant. An unknown
 * token, or another client's, changes nothing.
 */
export async function revokeToken(
  organisationId: number,
  token: string,
  { config, credentials, grants }: Deps<typeof revokeTokenStores>,
): Promise<void> {
  if (!isSecretText(token, config.stage)) return;
  const credential = await credentials.find(digestOf(token));
  if (credential?.organisationId !== organisationId) return;

  switch (credential.kind) {
    case 'authorizationCode':
      // Its grant exists from its exchange on: the code first, so that no exchange comes between.
      await grants.revokeOne(credential);
      await grants.revoke(credential.grantId);
      return;
    case 'refreshToken':
      await grants.revoke(credential.grantId);
      return;
    case 'userToken':
    case 'bearer':
      await grants.revokeOne(credential);
      return;
    case 'partnerKey':
      // A key is not a token: operators revoke it.
      return;
  }
}
