import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { ClientToken } from '../../operations/connect/issue-token.ts';
import type { UserTokens } from '../../operations/connect/user-tokens.ts';

/** The reply of the token endpoint (RFC 6749, 5.1). */
export const IssuedToken = z.object({
  access_token: described('The access token. Shown once.', z.string()),
  token_type: described('Always Bearer. User access tokens are sent in `x-api-key` nevertheless.', z.literal('Bearer')),
  expires_in: described('Seconds.', z.int()),
  scope: described(
    'The scopes of a bearer token, separated by spaces. By default, all scopes of the client.',
    z.optional(z.string()),
  ),
  refresh_token: described(
    'The refresh token, for grant_type refresh_token. In the reply: only with a user access token. Valid for one exchange.',
    z.optional(z.string()),
  ),
  user_id: described('The user of a user access token. Absent with a bearer token.', z.optional(z.int())),
});

/** The bearer token of a client. */
export function clientTokenView({ accessToken, expiresInSeconds, scope }: ClientToken): z.input<typeof IssuedToken> {
  return { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, scope };
}

/** The tokens of a user. */
export function userTokensView({
  accessToken,
  refreshToken,
  expiresInSeconds,
  userId,
}: UserTokens): z.input<typeof IssuedToken> {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    refresh_token: refreshToken,
    user_id: userId,
  };
}
