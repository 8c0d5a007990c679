import { createHash, timingSafeEqual } from 'node:crypto';
import { type Scope, scopes } from '../contracts/contract.ts';
import { toSeconds, validityMs } from '../contracts/limits.ts';
import { CodeUsedError } from '../store/connect/connect.ts';
import { type CredentialOf, Credentials, digestOf, Grants, isSecretText } from '../store/credential/credentials.ts';
import { commitLink, commitLinkStores, OfferRefusedError } from './commit-link.ts';
import type { Deps, Replying } from './operation.ts';
import { newSecret, newTokenPair, type UserTokens } from './user-tokens.ts';

// The grants of the token endpoint: authorization code, refresh token, client credentials.

export const exchangeGrantStores = { ...commitLinkStores, credentials: Credentials, grants: Grants };
type GrantDeps = Deps<typeof exchangeGrantStores> & Replying<UserTokens>;

/** A code of the connect flow with what belongs to it, or a refresh token. */
export type GrantRequest =
  | {
      readonly kind: 'code';
      readonly code: string;
      readonly redirectUri: string | undefined;
      readonly codeVerifier: string | undefined;
    }
  | { readonly kind: 'refreshToken'; readonly refreshToken: string };

/** The code or the refresh token is invalid, expired, used, or another client's. */
export class InvalidGrantError extends Error {
  override readonly name = 'InvalidGrantError';
}

/**
 * Exchanges a code, or the refresh token of an earlier exchange, for a user access token. The exchange of a code links
 * the account that the code offers. A code or a refresh token that is used a second time revokes every token that came
 * from it.
 *
 * @throws InvalidGrantError
 */
export async function exchangeGrant(
  organisationId: number,
  request: GrantRequest,
  deps: GrantDeps,
): Promise<UserTokens> {
  if (request.kind === 'code') return exchangeCode(await findCode(organisationId, request, deps), deps);

  const used = await findRefreshToken(organisationId, request.refreshToken, deps);
  const { userId, userUuid, grantId } = used;
  const { accessToken, refreshToken, pair } = newTokenPair(deps, { organisationId, userId, userUuid, grantId });
  if (!(await deps.grants.exchange(used, pair))) throw new InvalidGrantError(usedBefore);
  return { accessToken, refreshToken, userId, expiresInSeconds: toSeconds(validityMs.userAccessToken) };
}

const usedBefore = 'It was used before: all tokens that came from it are revoked';

async function exchangeCode(code: CredentialOf<'authorizationCode'>, deps: GrantDeps): Promise<UserTokens> {
  try {
    return await commitLink(code, deps);
  } catch (error) {
    if (error instanceof OfferRefusedError) throw new InvalidGrantError(error.message);
    if (!(error instanceof CodeUsedError)) throw error;
    // A code that is used twice was stolen (RFC 6749, 4.1.2).
    await deps.grants.revoke(code.grantId);
    throw new InvalidGrantError(usedBefore);
  }
}

/** Finds a valid code of the client whose redirect URI and verifier match (RFC 6749 4.1.3, RFC 7636 4.6). */
async function findCode(
  organisationId: number,
  { code: text, redirectUri, codeVerifier }: GrantRequest & { readonly kind: 'code' },
  deps: GrantDeps,
): Promise<CredentialOf<'authorizationCode'>> {
  const code = await findOwn(organisationId, text, deps);
  if (code?.kind !== 'authorizationCode') throw new InvalidGrantError('The code is not valid');
  if (isExpired(code, deps.now())) throw new InvalidGrantError('The code has expired');
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    throw new InvalidGrantError('redirect_uri is not the one that the connect token was made with');
  }
  if (!isVerifierOf(code.codeChallenge, codeVerifier)) {
    throw new InvalidGrantError('code_verifier does not belong to the code_challenge');
  }
  return code;
}

async function findRefreshToken(
  organisationId: number,
  text: string,
  deps: GrantDeps,
): Promise<CredentialOf<'refreshToken'>> {
  const token = await findOwn(organisationId, text, deps);
  if (token?.kind !== 'refreshToken') throw new InvalidGrantError('The refresh token is not valid');
  if (isExpired(token, deps.now())) throw new InvalidGrantError('The refresh token has expired');
  return token;
}

/** Finds a credential of the client, used and revoked ones too: their exchange fails and revokes the others. */
async function findOwn(organisationId: number, text: string, { config, credentials }: GrantDeps) {
  if (!isSecretText(text, config.stage)) return undefined;
  const found = await credentials.find(digestOf(text));
  return found?.organisationId === organisationId ? found : undefined;
}

function isExpired({ expiresAt }: { readonly expiresAt: string | null }, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= Date.parse(expiresAt);
}

/** A verifier without a challenge does not match either: an attacker may have removed the challenge (RFC 9700, 2.1.1). */
function isVerifierOf(challenge: string | null, verifier: string | undefined): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const expected = createHash('sha256').update(verifier).digest();
  const actual = Buffer.from(challenge, 'base64url');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export const issueClientTokenStores = { credentials: Credentials };

/** A client and the scopes that it asks for, separated by spaces. Without scopes it gets all that it has. */
export interface ClientTokenRequest {
  readonly organisationId: number;
  readonly permissions: readonly string[];
  readonly scope: string | undefined;
}

/** A bearer token. Only its digest is stored. */
export interface ClientToken {
  readonly accessToken: string;
  readonly scope: string;
  readonly expiresInSeconds: number;
}

/** The client asks for no scope, an unknown one, or one that it does not have. */
export class InvalidScopeError extends Error {
  override readonly name = 'InvalidScopeError';

  constructor(allowed: readonly Scope[]) {
    super(`the client may ask for: ${allowed.join(' ')}`);
  }
}

/**
 * Issues a bearer token to a client for itself (RFC 6749, 4.4).
 *
 * @throws InvalidScopeError
 */
export async function issueClientToken(
  { organisationId, permissions, scope }: ClientTokenRequest,
  deps: Deps<typeof issueClientTokenStores> & Replying<ClientToken>,
): Promise<ClientToken> {
  const allowed = scopes.filter((each) => isAllowed(each, permissions));
  const requested = scope?.split(' ').filter(Boolean) ?? allowed;
  const granted = allowed.filter((each) => requested.includes(each));
  if (granted.length === 0 || granted.length < new Set(requested).size) throw new InvalidScopeError(allowed);

  const accessToken = newSecret(deps, 'bearer');
  const expiresInSeconds = toSeconds(validityMs.clientToken);
  const issued: ClientToken = { accessToken, scope: granted.join(' '), expiresInSeconds };
  const now = deps.now();
  const credential: CredentialOf<'bearer'> = {
    kind: 'bearer',
    digest: digestOf(accessToken),
    organisationId,
    permissions: granted,
    isRevoked: false,
    expiresAt: new Date(now.getTime() + validityMs.clientToken).toISOString(),
    createdAt: now.toISOString(),
  };
  await deps.credentials.add(credential, deps.replyWrites?.(issued));
  return issued;
}

/** A client has scopes; a partner key, which may authenticate in its place, has permissions. */
function isAllowed(scope: Scope, permissions: readonly string[]): boolean {
  return permissions.includes(scope) || (scope === 'templates:read' && permissions.includes('campaigns:read'));
}
