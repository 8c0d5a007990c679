import type { InternalEvent } from '../../contracts/events.ts';
import { Credentials, digestOf, isSecretText } from '../../store/credential/credentials.ts';
import { Grants } from '../../store/credential/grants.ts';
import type { Deps } from '../operation.ts';

export const revokeTokenStores = { credentials: Credentials, grants: Grants };

/**
 * Revokes a client's token (RFC 7009). A refresh token or a code revokes every token of its grant. An unknown token, or
 * a token of another client, is ignored.
 */
export async function revokeToken(
  organisationId: number,
  token: string,
  { config, credentials, grants, now, nextUuid }: Deps<typeof revokeTokenStores>,
): Promise<void> {
  if (!isSecretText(token, config.stage)) return;
  const credential = await credentials.find(digestOf(token));
  if (credential?.organisationId !== organisationId) return;

  const context = { now: now(), nextUuid };
  switch (credential.kind) {
    case 'authorizationCode':
      // The exchange of a code makes its grant. The code is revoked first, so an exchange cannot make a grant
      // afterwards.
      await grants.revokeOne(credential);
      await grants.revoke(credential.grantId, context);
      return;
    case 'refreshToken':
      await grants.revoke(credential.grantId, context);
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

export const finishRevocationStores = { grants: Grants };

/**
 * Revokes the remaining tokens of a revoked grant. They still work if the process that revoked the grant ended too
 * early. Safe to repeat.
 */
export async function finishRevocation(
  { entityId }: InternalEvent,
  { grants }: Deps<typeof finishRevocationStores>,
): Promise<void> {
  await grants.revokeFamily(entityId);
}
