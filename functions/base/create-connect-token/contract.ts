import * as z from 'zod';
import { defineContract } from '../../../shared/http/contract.ts';
import { partnerKey } from '../../../shared/http/credential-schemes.ts';
import { datetime, email, id, phoneNumber, text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'create-connect-token',
  method: 'POST',
  path: '/auth/connect',
  summary:
    'Endpoint 12: create a connect token, with which a person links an account of a loyalty program. Valid 30 minutes, once.',
  credential: partnerKey,
  permission: 'connect:write',
  body: z.object({
    user: z
      .object({
        external_id: text().optional(),
        email: email.optional(),
        first_name: text().optional(),
        last_name: text().optional(),
        phone_number: phoneNumber.optional(),
      })
      .optional(),
    partnership_id: z.uuid().optional(),
    campaign_id: id.optional(),
    /** One of those that are registered; needed unless exactly one is. */
    redirect_uri: text(2048).optional(),
    /** Given back with the code, as it came. */
    state: text(1024).optional(),
    /** PKCE, S256 (RFC 7636). */
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/)
      .optional(),
    code_challenge_method: z.literal('S256').optional(),
  }),
  data: z.object({
    connect_token: z.string(),
    connect_url: z.string(),
    expires_at: datetime,
  }),
  errorField: 'error',
  refusals: { partnership_does_not_exist: 404, campaign_does_not_exist: 404, invalid_request: 400 },
  access: { table: { organisation: ['GetItem'], connect: ['PutItem'] }, indexes: ['byMerchant'] },
});
