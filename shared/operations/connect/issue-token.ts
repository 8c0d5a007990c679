import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { type Scope, scopes } from '../../contracts/contract.ts';
import { timingMs, toSeconds, validityMs } from '../../contracts/limits.ts';
import { CodeUsedError } from '../../store/connect/connect.ts';
import { type CredentialOf, Credentials, digestOf, isSecretText } from '../../store/credential/credentials.ts';
import { Grants } from '../../store/credential/grants.ts';
import { openText, type Seal, sealIvBytes, sealText } from '../../store/credential/sealed-text.ts';
import type { Deps, Replying } from '../operation.ts';
import { commitLink, commitLinkStores, OfferRefusedError } from './commit-link.ts';
import { newSecret, newTokenPair, type UserTokens } from './user-tokens.ts';

// The grants of the token endpoint: authorization code, refresh token, client credentials.

export const exchangeGrantStores = { ...commitLinkStores, credentials: Credentials, grants: Grants };
type GrantDeps = Deps<typeof exchangeGrantStores> & Replying<UserTokens>;

/** A code of the connect flow with its redirect URI and verifier, or a refresh token. */
export type GrantRequest =
  | {
      readonly kind: 'code';
      readonly code: string;
      readonly redirectUri: string | undefined;
      readonly codeVerifier: string | undefined;
    }
  | { readonly kind: 'refreshToken'; readonly refreshToken: string };

/** The code or the refresh token is invalid, expired, used, or belongs to another client. */
export class InvalidGrantError extends Error {
  override readonly name = 'InvalidGrantError';
}

/**
 * Exchanges a code, or the refresh token of an earlier exchange, for a user access token. The exchange of a code links
 * the account that the code offers. If a code is used twice, every token that came from it is revoked. The same happens
 * if a refresh token is used again more than 30 seconds after its first use.
 *
 * @throws InvalidGrantError
 */
export async function exchangeGrant(
  organisationId: number,
  request: GrantRequest,
  deps: GrantDeps,
): Promise<UserTokens> {
  return request.kind === 'code'
    ? exchangeCode(await findCode(organisationId, request, deps), deps)
    : refresh(organisationId, request.refreshToken, deps);
}

/**
 * Exchanges a refresh token. Within 30 seconds of the first use, a repeated use returns the same tokens. So a lost
 * reply or two simultaneous requests do not disconnect the member. A later use counts as theft and revokes the token
 * family (RFC 9700, 4.14).
 */
async function refresh(organisationId: number, text: string, deps: GrantDeps): Promise<UserTokens> {
  const token = await findRefreshToken(organisationId, text, deps);
  const { userId, userUuid, grantId } = token;
  let used = token.isRevoked ? token : undefined;
  if (!used) {
    const { pair, ...tokens } = newTokenPair(deps, { organisationId, userId, userUuid, grantId });
    const result = userTokens(userId, tokens);
    const answer = sealAnswer(tokens, token, text, deps);
    used = await deps.grants.exchange({ used: token, pair, answer, replyWrites: deps.replyWrites?.(result) });
    if (!used) return result;
  }
  const repeated = await openAnswer(used, text, deps);
  if (repeated) return userTokens(userId, repeated);
  await deps.grants.revoke(grantId, { now: deps.now(), nextUuid: deps.nextUuid });
  throw new InvalidGrantError(usedBefore);
}

const userTokens = (userId: number, tokens: IssuedTexts): UserTokens => ({
  ...tokens,
  userId,
  expiresInSeconds: toSeconds(validityMs.userAccessToken),
});

const IssuedTexts = z.object({ accessToken: z.string(), refreshToken: z.string() });
type IssuedTexts = z.infer<typeof IssuedTexts>;

/** The key is derived from the refresh token, which only the client has. So a reader of the table learns no token. */
const sealFor = (text: string, { digest }: CredentialOf<'refreshToken'>): Seal => ({
  key: new Uint8Array(hkdfSync('sha256', text, '', 'rewards/repeated-refresh', 32)),
  binding: digest,
});

function sealAnswer(tokens: IssuedTexts, token: CredentialOf<'refreshToken'>, text: string, deps: GrantDeps) {
  const sealed = sealText(sealFor(text, token), JSON.stringify(tokens), deps.random(sealIvBytes));
  return { sealed, until: new Date(deps.now().getTime() + timingMs.repeatedRefresh).toISOString() };
}

/**
 * Returns the tokens that the refresh token's first use returned; undefined when that use is too long ago, or when the
 * family was revoked.
 */
async function openAnswer(
  used: CredentialOf<'refreshToken'>,
  text: string,
  { grants, now }: GrantDeps,
): Promise<IssuedTexts | undefined> {
  const { answer, grantId } = used;
  if (!answer || now().getTime() >= Date.parse(answer.until)) return undefined;
  const grant = await grants.find(grantId);
  const opened = grant && !grant.isRevoked ? openText(sealFor(text, used), answer.sealed) : undefined;
  return opened === undefined ? undefined : IssuedTexts.parse(JSON.parse(opened));
}

const usedBefore = 'It was used before: all tokens that came from it are revoked';

async function exchangeCode(code: CredentialOf<'authorizationCode'>, deps: GrantDeps): Promise<UserTokens> {
  try {
    return await commitLink(code, deps);
  } catch (error) {
    if (error instanceof OfferRefusedError) throw new InvalidGrantError(error.message);
    if (!(error instanceof CodeUsedError)) throw error;
    // A code that is used twice was stolen (RFC 6749, 4.1.2).
    await deps.grants.revoke(code.grantId, { now: deps.now(), nextUuid: deps.nextUuid });
    throw new InvalidGrantError(usedBefore);
  }
}

/** Finds a valid code of the client, and checks the redirect URI and the verifier (RFC 6749 4.1.3, RFC 7636 4.6). */
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

/**
 * Finds a credential of the client, even a used or revoked one. An exchange of such a credential fails, and revokes its
 * token family.
 */
async function findOwn(organisationId: number, text: string, { config, credentials }: GrantDeps) {
  if (!isSecretText(text, config.stage)) return undefined;
  const found = await credentials.find(digestOf(text));
  return found?.organisationId === organisationId ? found : undefined;
}

function isExpired({ expiresAt }: { readonly expiresAt: string | null }, now: Date): boolean {
  return expiresAt !== null && now.getTime() >= Date.parse(expiresAt);
}

/**
 * Whether the verifier matches the challenge. A verifier without a challenge does not match: an attacker may have
 * removed the challenge (RFC 9700, 2.1.1).
 */
function isVerifierOf(challenge: string | null, verifier: string | undefined): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const expected = createHash('sha256').update(verifier).digest();
  const actual = Buffer.from(challenge, 'base64url');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

export const issueClientTokenStores = { credentials: Credentials };

/**
 * A client and the scopes that it asks for, separated by spaces. A client that names no scopes receives all of its
 * scopes.
 */
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

/** The requested list of scopes is empty, or contains a scope that is unknown or not the client's. */
export class InvalidScopeError extends Error {
  override readonly name = 'InvalidScopeError';

  constructor(allowed: readonly Scope[]) {
    super(`the client may ask for: ${allowed.join(' ')}`);
  }
}

/**
 * Issues a bearer token with which a client acts for itself, not for a user (RFC 6749, 4.4).
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

/**
 * Whether a scope is allowed. A client has scopes. A partner key may authenticate in place of a client; it has
 * permissions instead of scopes.
 */
function isAllowed(scope: Scope, permissions: readonly string[]): boolean {
  return permissions.includes(scope) || (scope === 'templates:read' && permissions.includes('campaigns:read'));
}
