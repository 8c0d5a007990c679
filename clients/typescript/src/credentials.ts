import type { TokenSource } from './tokens.ts';

/** The six hosts. */
export type HostName = 'base' | 'reward' | 'campaign' | 'user' | 'order' | 'notification';

/**
 * A key or token, a function that returns one for each request, or a source that renews its token. After a 401, the
 * client asks a source for a new token.
 */
export type Secret = string | (() => string | Promise<string>) | TokenSource;

/** The caller's credentials. A client needs only the credentials of the endpoints that it calls. */
export interface Credentials {
  /** Partner API key: endpoints 3, 4, 6, 7, 9, 11 to 14. */
  readonly partnerKey?: Secret;
  /** User-based access token: endpoints 1, 2 and 5. */
  readonly userToken?: Secret;
  /** Access token of the client_credentials grant: endpoints 8 and 10. */
  readonly bearer?: Secret;
}

/** The paths that require a bearer token. */
const bearerPaths = new Set(['/transactions/{reward_transaction_id}', '/templates']);
/** The hosts on which all paths except {@link bearerPaths} require a user token. */
const userHosts = new Set<HostName>(['reward', 'user']);

/** The header that proves the caller's identity. */
export interface CredentialHeader {
  readonly name: string;
  readonly value: string;
  /** Returns the header with a new token; undefined when the credential cannot be renewed. */
  readonly renew?: () => Promise<CredentialHeader>;
}

/** Returns the credential header for a path, or undefined when the caller has no such credential. */
export async function resolveCredential(
  host: HostName,
  path: string,
  { partnerKey, userToken, bearer }: Credentials,
): Promise<CredentialHeader | undefined> {
  if (bearerPaths.has(path)) return toHeader(bearer, { name: 'authorization', prefix: 'Bearer ' });
  return toHeader(userHosts.has(host) ? userToken : partnerKey, { name: 'x-api-key', prefix: '' });
}

interface HeaderForm {
  readonly name: string;
  readonly prefix: string;
}

async function toHeader(
  secret: Secret | undefined,
  { name, prefix }: HeaderForm,
): Promise<CredentialHeader | undefined> {
  if (secret === undefined) return undefined;
  if (typeof secret === 'string') return { name, value: prefix + secret };
  if (typeof secret === 'function') return { name, value: prefix + (await secret()) };
  const token = await secret.get();
  return {
    name,
    value: prefix + token,
    renew: async () => ({ name, value: prefix + (await secret.renew(token)) }),
  };
}
