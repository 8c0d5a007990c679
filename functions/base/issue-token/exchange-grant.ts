import { createHash, timingSafeEqual } from 'node:crypto';
import { toSeconds, validityMs } from '../../../shared/contracts/limits.ts';
import { newTokenPair } from '../../../shared/operations/user-tokens.ts';
import type { CredentialOf } from '../../../shared/store/credential/credentials.ts';
import { digestOf, isSecretText } from '../../../shared/store/credential/secret-text.ts';
import type { TokenCall } from './token-call.ts';

type Exchangeable = CredentialOf<'authorizationCode' | 'refreshToken'>;

/** A user access token for a code of the connect flow, or for the refresh token of an earlier one. */
export async function exchangeGrant(call: TokenCall, grantType: 'authorization_code' | 'refresh_token') {
  const { platform } = call;
  const used = grantType === 'authorization_code' ? await checkedCode(call) : await checkedRefreshToken(call);

  const { organisationId, userId, userUuid, grantId } = used;
  const { accessToken, refreshToken, pair } = newTokenPair(platform, { organisationId, userId, userUuid, grantId });
  if (!(await platform.grants.exchange(used, pair))) {
    return call.refuse('invalid_grant', 'It was used before: all tokens that came from it are revoked');
  }
  return {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: toSeconds(validityMs.userAccessToken),
    refresh_token: refreshToken,
    user_id: userId,
  };
}

/** The code, if it is good, this client's, and comes with its redirect URI and verifier (RFC 6749 4.1.3, RFC 7636 4.6). */
async function checkedCode(call: TokenCall): Promise<CredentialOf<'authorizationCode'>> {
  const { body, refuse } = call;
  if (!body.code) return refuse('invalid_request', 'code is required');

  const code = await findOwn(call, body.code);
  if (code?.kind !== 'authorizationCode') return refuse('invalid_grant', 'The code is not valid');
  if (isExpired(call, code)) return refuse('invalid_grant', 'The code has expired');
  if (body.redirect_uri !== undefined && body.redirect_uri !== code.redirectUri) {
    return refuse('invalid_grant', 'redirect_uri is not the one that the connect token was made with');
  }
  if (!verifies(body.code_verifier, code.codeChallenge)) {
    return refuse('invalid_grant', 'code_verifier does not belong to the code_challenge');
  }
  return code;
}

async function checkedRefreshToken(call: TokenCall): Promise<CredentialOf<'refreshToken'>> {
  const { body, refuse } = call;
  if (!body.refresh_token) return refuse('invalid_request', 'refresh_token is required');

  const token = await findOwn(call, body.refresh_token);
  if (token?.kind !== 'refreshToken') return refuse('invalid_grant', 'The refresh token is not valid');
  if (isExpired(call, token)) return refuse('invalid_grant', 'The refresh token has expired');
  return token;
}

/** Whatever the text is of the caller's own; used and revoked ones too, for the exchange tells what that means. */
async function findOwn({ platform, caller }: TokenCall, text: string): Promise<Exchangeable | undefined> {
  if (!isSecretText(text, platform.config.stage)) return undefined;
  const found = await platform.credentials.find(digestOf(text));
  if (found?.organisationId !== caller.organisationId) return undefined;
  return found.kind === 'authorizationCode' || found.kind === 'refreshToken' ? found : undefined;
}

function isExpired({ platform }: TokenCall, { expiresAt }: Exchangeable): boolean {
  return expiresAt !== null && platform.now().getTime() >= Date.parse(expiresAt);
}

/** A verifier without a challenge is refused too: somebody may have taken the challenge out (RFC 9700, 2.1.1). */
function verifies(verifier: string | undefined, challenge: string | null): boolean {
  if (verifier === undefined || challenge === null) return verifier === undefined && challenge === null;
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const expected = createHash('sha256').update(verifier).digest();
  const actual = Buffer.from(challenge, 'base64url');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
