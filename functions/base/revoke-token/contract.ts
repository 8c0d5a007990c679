import * as z from 'zod/mini';
import { client, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';

export const contract = defineContract({
  host: 'base',
  name: 'revoke-token',
  method: 'POST',
  path: '/oauth/revoke',
  summary:
    "OAuth 2.0 token revocation (RFC 7009). With a refresh token its whole family is revoked. An unknown token or another client's token has no effect.",
  credential: client,
  permission: 'connect:write',
  bodyType: 'form',
  body: z.object({
    token: described('The access token or refresh token to revoke.', z.string().check(z.minLength(1))),
    token_type_hint: described(
      'access_token or refresh_token. Ignored: the token itself tells.',
      z.optional(z.string()),
    ),
  }),
  data: z.object({}),
  envelope: 'bare',
  errorShape: 'oauth',
  refusals: { invalid_request: 400 },
  example: {
    request: { token: 'rwr_sandbox_3q2-7w…', token_type_hint: 'refresh_token' },
    reply: {},
  },
  access: {
    table: {
      credential: ['GetItem', 'BatchGetItem', 'UpdateItem'],
      grant: ['UpdateItem', 'Query'],
      outbox: ['PutItem'],
    },
  },
});
