/** The six hosts. */
export type HostName = 'base' | 'reward' | 'campaign' | 'user' | 'order' | 'notification';

/** A key or token, or where to get one that is fresh. */
export type Secret = string | (() => string | Promise<string>);

/** Those of the caller's proofs that it wants to use. */
export interface Credentials {
  /** Partner API key: endpoints 3, 4, 6, 7, 9, 11 to 14. */
  readonly partnerKey?: Secret;
  /** User-based access token: endpoints 1, 2 and 5. */
  readonly userToken?: Secret;
  /** Access token of the client_credentials grant: endpoints 8 and 10. */
  readonly bearer?: Secret;
}

/** The paths that take a bearer token. */
const bearerPaths = new Set(['/transactions/{reward_transaction_id}', '/templates']);
/** The hosts whose other paths take a user token. */
const userHosts = new Set<HostName>(['reward', 'user']);

/** The header that proves who calls a path; undefined when there is none to send. */
export async function credentialOf(
  host: HostName,
  path: string,
  { partnerKey, userToken, bearer }: Credentials,
): Promise<{ header: string; value: string } | undefined> {
  if (bearerPaths.has(path)) {
    const token = await revealed(bearer);
    return token === undefined ? undefined : { header: 'authorization', value: `Bearer ${token}` };
  }
  const key = await revealed(userHosts.has(host) ? userToken : partnerKey);
  return key === undefined ? undefined : { header: 'x-api-key', value: key };
}

async function revealed(secret: Secret | undefined): Promise<string | undefined> {
  return typeof secret === 'function' ? secret() : secret;
}
