import { cacheAgeMs } from '../contracts/limits.ts';
import { cache, once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import {
  type Credential,
  Credentials,
  digestOf,
  isRefreshable,
  isSecretText,
} from '../store/credential/credentials.ts';
import { type Caller, type Headers, type IdentifyCaller, refusal, requirePermission } from './request.ts';

const openDeps = once(() => withStores(runtime(), { credentials: Credentials }));

/**
 * Identifies the owner of a partner key, user token or bearer token. If the contract requires no credential, the caller
 * is anonymous.
 */
export const identifyByKey: IdentifyCaller = async (contract, { headers }) => {
  if (contract.credential.kind === 'none') return { kind: 'anonymous', scope: 'anonymous' };
  const secret = contract.credential.kind === 'bearer' ? bearerToken(headers) : headers['x-api-key'];
  if (secret === undefined) throw refusal(contract, 'invalid', 'The credential is missing');

  const credential = await findCredential(secret);
  if (!credential && contract.credential.kind === 'userToken' && (await wasOfLiveFamily(secret))) {
    throw refusal(contract, 'expired', 'The token has expired');
  }
  if (!credential || credential.isRevoked) throw refusal(contract, 'invalid', 'The credential is not valid');
  if (isExpired(credential)) throw refusal(contract, 'expired', 'The token has expired');
  if (credential.kind !== contract.credential.kind) {
    throw refusal(contract, 'forbidden', 'This kind of credential is not authorized for the request');
  }
  if ('permissions' in credential) requirePermission(contract, credential.permissions);
  return toCaller(credential);
};

/**
 * Whether an unknown user token belonged to a token family that can still be refreshed. If it did, the token has
 * expired: an expired token is deleted, so it is unknown.
 */
async function wasOfLiveFamily(secret: string): Promise<boolean> {
  const { config, credentials, now } = openDeps();
  const grant = isSecretText(secret, config.stage) ? await credentials.findGrantOf(secret) : undefined;
  return grant !== undefined && isRefreshable(grant, now());
}

/** Returns the caller that a credential identifies. */
export function toCaller(credential: Credential): Caller {
  const { organisationId, digest: scope } = credential;
  if ('userId' in credential) {
    return { kind: 'user', organisationId, userId: credential.userId, userUuid: credential.userUuid, scope };
  }
  // Authorization codes have no permissions, and no contract accepts them as credentials.
  const permissions = 'permissions' in credential ? credential.permissions : [];
  return { kind: 'organisation', organisationId, permissions, scope };
}

/** Whether a credential has expired by now. */
export function isExpired({ expiresAt }: Credential): boolean {
  return expiresAt !== null && openDeps().now().getTime() >= Date.parse(expiresAt);
}

function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
}

const findRecent = cache((digest: string) => openDeps().credentials.find(digest), {
  maximumAgeMs: cacheAgeMs.credential,
  now: () => openDeps().now(),
});

/**
 * Finds a credential, first in a cache of a few seconds. After a revocation, a key works for these seconds at most.
 * Unknown keys are not cached, so invented keys cannot push real ones out.
 */
export async function findCredential(secret: string): Promise<Credential | undefined> {
  return isSecretText(secret, openDeps().config.stage) ? findRecent(digestOf(secret)) : undefined;
}
