import * as z from 'zod/mini';
import { client, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { toSeconds, validityMs } from '../../../shared/contracts/limits.ts';
import { IssuedToken } from '../../../shared/http/views/token.ts';

/** A parameter with an empty value counts as absent (RFC 6749, 3.2). */
const parameter = z.optional(
  z.pipe(
    z.string(),
    z.transform((value: string) => value || undefined),
  ),
);

export const contract = defineContract({
  host: 'base',
  name: 'issue-token',
  method: 'POST',
  path: '/oauth/token',
  summary:
    'OAuth 2.0 token endpoint (RFC 6749). authorization_code (with PKCE) links the offered account and issues a user access token, refresh_token issues a new one; a partner key needs `connect:write` for both. client_credentials issues a bearer token for endpoints 8 and 10.',
  credential: client,
  bodyType: 'form',
  body: z.object({
    grant_type: described('authorization_code, refresh_token or client_credentials.', z.string().check(z.minLength(1))),
    scope: described(
      'The scopes of a bearer token, separated by spaces. By default, all scopes of the client.',
      parameter,
    ),
    code: described(
      `grant_type authorization_code: the code that the connect flow returned. Valid ${toSeconds(validityMs.authorizationCode)} seconds.`,
      parameter,
    ),
    redirect_uri: described(
      'grant_type authorization_code: optional; must equal the redirect URI of the connect token.',
      parameter,
    ),
    code_verifier: described('PKCE (RFC 7636): the secret from which the code challenge was computed.', parameter),
    refresh_token: described(
      'The refresh token, for grant_type refresh_token. In the reply: only with a user access token. Valid for one exchange.',
      parameter,
    ),
  }),
  data: IssuedToken,
  envelope: 'bare',
  errorShape: 'oauth',
  refusals: {
    unsupported_grant_type: 400,
    unauthorized_client: 400,
    invalid_scope: 400,
    invalid_request: 400,
    invalid_grant: 400,
  },
  errors: { InvalidScopeError: 'invalid_scope', InvalidGrantError: 'invalid_grant' },
  example: {
    request: { grant_type: 'client_credentials', scope: 'transactions:read' },
    reply: {
      access_token: 'rwb_sandbox_3q2-7w…',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'transactions:read',
    },
  },
  access: {
    table: {
      credential: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem'],
      grant: ['GetItem', 'PutItem', 'UpdateItem', 'Query'],
      externalUser: ['GetItem', 'PutItem', 'UpdateItem'],
      link: ['PutItem'],
      customerEmail: ['GetItem', 'PutItem'],
      user: ['Query', 'PutItem', 'UpdateItem'],
      programAccount: ['UpdateItem'],
      ledger: ['PutItem'],
      outbox: ['PutItem'],
    },
    indexes: ['byMerchant'],
  },
});
