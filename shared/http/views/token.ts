import * as z from 'zod/mini';
import type { ClientToken } from '../../operations/connect/issue-token.ts';
import type { UserTokens } from '../../operations/connect/user-tokens.ts';

/** The reply of the token endpoint (RFC 6749, 5.1). */
export const IssuedToken = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  /** Seconds. */
  expires_in: z.int(),
  /** Only with the bearer token of a client. */
  scope: z.optional(z.string()),
  /** Only with a user access token; valid for one exchange. */
  refresh_token: z.optional(z.string()),
  /** Only with a user access token: its user. */
  user_id: z.optional(z.int()),
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
