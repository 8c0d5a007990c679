import { RewardsApiError } from './results.ts';
import type { Fetch } from './retries.ts';

/** A token that renews itself: a credential of the client. */
export interface TokenSource {
  /** Returns a valid token. Renews it shortly before it expires. */
  get(): Promise<string>;
  /**
   * Returns the token to use after the platform answered 401 to the token `refused`. Renews the present token, unless
   * another request has just renewed it.
   */
  renew(refused: string): Promise<string>;
}

/** The OAuth client of an organisation, and the URL that issues its tokens. */
export interface TokenClient {
  /** Base URL of the base host. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
  /** Replaces the clock, in tests. */
  readonly now?: () => Date;
}

/** The tokens of one user, as they are stored. */
export interface UserTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The time at which the access token expires. If it is absent, the token is renewed after the first 401. */
  readonly expiresAt?: Date;
}

/** A user's tokens, and the function that stores new ones. */
export interface UserTokenOptions extends TokenClient {
  readonly tokens: UserTokens;
  /**
   * Stores new tokens. It is awaited before the new access token is used. The previous refresh token works for only 30
   * seconds more, so a user whose new tokens are not stored is disconnected.
   */
  readonly store: (tokens: UserTokens) => void | Promise<void>;
}

/** How long before its expiry a token is renewed. */
const marginMs = 60_000;

/**
 * The bearer token of an OAuth client (grant client_credentials) for endpoints 8 and 10. Parallel requests share one
 * token.
 */
export function createBearerToken({ scope, ...client }: TokenClient & { readonly scope?: string }): TokenSource {
  const grant = { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) };
  return renewing(client, undefined, async () => {
    const { accessToken, expiresAt } = await requestTokens(client, grant);
    return { token: accessToken, expiresAt };
  });
}

/**
 * The access token of a user, for endpoints 1, 2 and 5. It is refreshed shortly before it expires, or after a 401.
 * Parallel requests share one refresh.
 */
export function createUserToken({ tokens, store, ...client }: UserTokenOptions): TokenSource {
  let { refreshToken } = tokens;
  const first = { token: tokens.accessToken, expiresAt: tokens.expiresAt };
  return renewing(client, first, async () => {
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const renewed = await requestTokens(client, grant);
    refreshToken = renewed.refreshToken ?? refreshToken;
    await store({ accessToken: renewed.accessToken, refreshToken, expiresAt: renewed.expiresAt });
    return { token: renewed.accessToken, expiresAt: renewed.expiresAt };
  });
}

interface HeldToken {
  readonly token: string;
  readonly expiresAt: Date | undefined;
  /** The time at which the token was issued by a renewal; undefined for the first token. */
  readonly renewedAt?: number;
}

function renewing(
  { now = () => new Date() }: TokenClient,
  first: HeldToken | undefined,
  fetchToken: () => Promise<HeldToken>,
): TokenSource {
  let held = first;
  let running: Promise<HeldToken> | undefined;

  const renewNow = async (): Promise<HeldToken> => {
    running ??= fetchToken().finally(() => {
      running = undefined;
    });
    const token = await running;
    held = { ...token, renewedAt: now().getTime() };
    return held;
  };
  const isValid = ({ expiresAt }: HeldToken) =>
    expiresAt === undefined || expiresAt.getTime() - marginMs > now().getTime();
  // If the platform refuses a token that was just renewed, age is not the reason. So the token is not renewed again.
  const isFresh = ({ renewedAt }: HeldToken) => renewedAt !== undefined && now().getTime() - renewedAt < marginMs;

  return {
    get: async () => (held && isValid(held) ? held : await renewNow()).token,
    renew: async (refused) => {
      const isNewer = held !== undefined && (held.token !== refused || isFresh(held));
      return (isNewer && held ? held : await renewNow()).token;
    },
  };
}

interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly expiresAt: Date;
}

/** @throws RewardsApiError when the platform refuses */
async function requestTokens(
  { baseUrl, clientId, clientSecret, fetch: send = fetch, now = () => new Date() }: TokenClient,
  grant: Readonly<Record<string, string>>,
): Promise<IssuedTokens> {
  const askedAt = now().getTime();
  const response = await send(
    new Request(`${baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams(grant),
    }),
  );
  const body: unknown = await response.json();
  if (!response.ok) throw new RewardsApiError(response.status, body);
  const { access_token, refresh_token, expires_in } = Object(body);
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt: new Date(askedAt + expires_in * 1_000) };
}
