import { RewardsApiError } from './results.ts';
import type { Fetch } from './retries.ts';

/** A token that renews itself: a credential of the client. */
export interface TokenSource {
  /** Returns a valid token. Renews it shortly before it expires. */
  get(): Promise<string>;
  /** Returns a token after the platform refused `refused` with 401: a new one, if the present one is not newer. */
  renew(refused: string): Promise<string>;
}

/** The OAuth client of an organisation, and where it gets its tokens. */
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
  /** When the access token expires. If it is unknown, the token is renewed after the first 401. */
  readonly expiresAt?: Date;
}

/** A user's tokens, and what to do with new ones. */
export interface UserTokenOptions extends TokenClient {
  readonly tokens: UserTokens;
  /**
   * Stores new tokens. It is awaited before the new access token is used: the refresh token before it works for 30 seconds
   * only, so tokens that are not stored disconnect the user.
   */
  readonly store: (tokens: UserTokens) => void | Promise<void>;
}

/** A token is renewed this long before it expires. */
const marginMs = 60_000;

/**
 * The bearer token of an OAuth client (grant client_credentials) for endpoints 8 and 10. Requests that run side by side
 * share one.
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
 * Requests that run side by side share one refresh.
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
  /** When it was renewed; undefined for the first token. */
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
  // A token that was just renewed has not expired: the platform refuses something else.
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
