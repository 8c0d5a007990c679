import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { client } from '../../../shared/http/credential-schemes.ts';

export const contract = defineContract({
  host: 'base',
  name: 'issue-token',
  method: 'POST',
  path: '/oauth/token',
  summary: 'OAuth 2.0 token endpoint (RFC 6749): client_credentials gives a bearer token for endpoints 8 and 10.',
  credential: client,
  bodyType: 'form',
  body: z.object({ grant_type: z.string(), scope: z.optional(z.string()) }),
  data: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.int(),
    scope: z.string(),
  }),
  envelope: 'bare',
  errorField: 'error',
  errorShape: 'oauth',
  refusals: { unsupported_grant_type: 400, invalid_scope: 400, invalid_request: 400 },
  access: { table: { credential: ['PutItem'] } },
});
