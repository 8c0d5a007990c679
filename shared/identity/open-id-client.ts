import * as oauth from 'oauth4webapi';
import { cacheAgeMs, maximumCharacters, timingMs, toSeconds } from '../contracts/limits.ts';
import { plainError } from '../domain/errors.ts';
import { cache } from '../domain/memoize.ts';
import type { LoginAttempt } from './login-attempt.ts';

/** The issuer that signs people in, and the dashboard's client at it. */
export interface IssuerSettings {
  /** The issuer's identifier: a URL, in every ID token. */
  readonly issuer: string;
  readonly clientId: string;
  /** Where the issuer is reached on a developer's machine. Absent: at the URL of its identifier. */
  readonly endpoint?: string | undefined;
}

/** A person, as the issuer has proved who it is. */
export interface VerifiedIdentity {
  readonly issuer: string;
  /** The person's id at the issuer. It never changes, as the address may. */
  readonly subject: string;
  /** An address that the issuer has verified. */
  readonly email: string;
  /** Null if the issuer reports no name. */
  readonly name: string | null;
  /** When the person last proved who they are. */
  readonly authenticatedAt: Date;
}

// The messages of these errors are for the log. The person sees a page of the dashboard.

/** The issuer returned an error instead of a code, for example because the person gave up. */
export class SignInRefusedError extends plainError('SignInRefusedError', 'the issuer refused the sign-in') {}

/** The callback or the ID token is not what this sign-in asked for. */
export class SignInInvalidError extends plainError('SignInInvalidError', 'the sign-in is not valid') {}

/** The issuer has not verified the person's e-mail address. */
export class EmailNotVerifiedError extends plainError('EmailNotVerifiedError', 'the e-mail address is not verified') {}

/**
 * The dashboard as a client of an OpenID Connect issuer: code flow with PKCE, without a client secret. It knows nothing
 * of the issuer but this protocol, so the issuer may be Cognito or any other.
 */
export class OpenIdClient {
  readonly #settings: IssuerSettings;
  readonly #now: () => Date;
  readonly #server: () => Promise<oauth.AuthorizationServer>;
  /** The issuer's public keys. The library reads them again when a token names an unknown one. */
  readonly #keys: oauth.JWKSCacheInput = {};

  constructor(settings: IssuerSettings, now: () => Date) {
    this.#settings = settings;
    this.#now = now;
    const stored = cache(() => this.#discover(), { maximumAgeMs: cacheAgeMs.issuer, now });
    this.#server = () => stored(settings.issuer);
  }

  /** The page of the issuer on which the person signs in. */
  async signInUrl(attempt: LoginAttempt, callbackUrl: string): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#server();
    return withQuery(required(endpoint, 'authorization_endpoint'), {
      response_type: 'code',
      client_id: this.#settings.clientId,
      redirect_uri: callbackUrl,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(attempt.reauthenticates && { prompt: 'login' }),
    });
  }

  /**
   * Exchanges the code of a callback, and checks that the ID token is for this client and this attempt. The issuer's
   * tokens are dropped.
   *
   * @param parameters the query of the callback
   * @throws SignInRefusedError, SignInInvalidError or EmailNotVerifiedError; other errors mean that the issuer did not
   *   answer
   */
  async identify(parameters: URLSearchParams, attempt: LoginAttempt, callbackUrl: string): Promise<VerifiedIdentity> {
    const server = await this.#server();
    try {
      return toIdentity(await this.#exchange(server, parameters, attempt, callbackUrl), attempt, this.#now());
    } catch (error) {
      throw toFailure(error);
    }
  }

  async #exchange(
    server: oauth.AuthorizationServer,
    parameters: URLSearchParams,
    { state, nonce, verifier }: LoginAttempt,
    callbackUrl: string,
  ): Promise<oauth.IDToken> {
    const [client, options] = [this.#client(), this.#options()];
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None()] as const),
      ...([oauth.validateAuthResponse(server, client, parameters, state), callbackUrl, verifier, options] as const),
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    // TLS proves who answered. The signature proves it also if something between reads or changes the answer.
    await oauth.validateApplicationLevelSignature(server, response, { ...options, [oauth.jwksCache]: this.#keys });
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (!claims) throw new SignInInvalidError('the issuer returned no ID token');
    return claims;
  }

  /**
   * The page of the issuer that ends its own session and returns to the dashboard. Without it, the next sign-in would
   * need no proof. It has the parameters of OpenID Connect and those of Cognito, which has names of its own.
   */
  async signOutUrl(returnUrl: string): Promise<string> {
    const { end_session_endpoint: endpoint } = await this.#server();
    return withQuery(required(endpoint, 'end_session_endpoint'), {
      client_id: this.#settings.clientId,
      post_logout_redirect_uri: returnUrl,
      logout_uri: returnUrl,
    });
  }

  async #discover(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    const response = await oauth.discoveryRequest(issuer, { ...this.#options(), algorithm: 'oidc' });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  /** The client, whose time is the platform's. */
  #client(): oauth.Client {
    const skewSeconds = Math.round((this.#now().getTime() - Date.now()) / 1000);
    return {
      client_id: this.#settings.clientId,
      id_token_signed_response_alg: 'RS256',
      [oauth.clockSkew]: skewSeconds,
    };
  }

  #options() {
    const { issuer, endpoint } = this.#settings;
    return {
      signal: () => AbortSignal.timeout(timingMs.issuer),
      ...(endpoint !== undefined && {
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url: string, request: object) =>
          fetch(url.replace(new URL(issuer).origin, endpoint), request),
      }),
    };
  }
}

function toIdentity(claims: oauth.IDToken, { reauthenticates, begunAtMs }: LoginAttempt, now: Date): VerifiedIdentity {
  const { iss: issuer, sub: subject, email, email_verified: isVerified, name, auth_time: authTime } = claims;
  if (authTime === undefined) throw new SignInInvalidError('the ID token has no auth_time');
  const isEarlier = authTime < toSeconds(begunAtMs - timingMs.issuerClock);
  if (reauthenticates && isEarlier) {
    throw new SignInInvalidError('the issuer answered from its memory, without a new proof');
  }
  // A proof of the future would count as recent until then.
  if (authTime > toSeconds(now.getTime() + timingMs.issuerClock)) {
    throw new SignInInvalidError('auth_time lies in the future');
  }
  if (typeof email !== 'string' || email === '') throw new SignInInvalidError('the ID token has no email');
  if (isVerified !== true) throw new EmailNotVerifiedError();
  const given = typeof name === 'string' && name !== '' ? name.slice(0, maximumCharacters.text) : null;
  return { issuer, subject, email, name: given, authenticatedAt: new Date(authTime * 1000) };
}

/** Sorts an error of the protocol: what the issuer refused, and what does not belong to this sign-in. */
function toFailure(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    return new SignInRefusedError(`the issuer returned ${error.error}`);
  }
  const ofProtocol = [oauth.OperationProcessingError, oauth.ResponseBodyError, oauth.UnsupportedOperationError];
  return ofProtocol.some((kind) => error instanceof kind) ? new SignInInvalidError((error as Error).message) : error;
}

function required(endpoint: string | undefined, name: string): string {
  if (endpoint === undefined) throw new Error(`the issuer names no ${name}`);
  return endpoint;
}

function withQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
