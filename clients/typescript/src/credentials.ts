/** The six hosts. */
export type HostName = 'base' | 'reward' | 'campaign' | 'user' | 'order' | 'notification';

/** A key or token, or a function that returns one. The function is called for each request. */
export type Secret = string | (() => string | Promise<string>);

/** The caller's credentials. Only those that its endpoints need are required. */
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
/** The hosts whose other paths require a user token. */
const userHosts = new Set<HostName>(['reward', 'user']);

/** Returns the credential header for a path, or undefined when the caller has no such credential. */
export async function resolveCredential(
  host: HostName,
  path: string,
  { partnerKey, userToken, bearer }: Credentials,
): Promise<{ header: string; value: string } | undefined> {
  if (bearerPaths.has(path)) {
    const token = await resolveSecret(bearer);
    return token === undefined ? undefined : { header: 'authorization', value: `Bearer ${token}` };
  }
  const key = await resolveSecret(userHosts.has(host) ? userToken : partnerKey);
  return key === undefined ? undefined : { header: 'x-api-key', value: key };
}

async function resolveSecret(secret: Secret | undefined): Promise<string | undefined> {
  return typeof secret === 'function' ? secret() : secret;
}
