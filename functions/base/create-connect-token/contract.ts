import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { duration, maximumCharacters, validityMs } from '../../../shared/contracts/limits.ts';
import { ConnectingUserBody } from '../../../shared/http/connecting-user.ts';
import { datetime, id, optional, text, uuid } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'create-connect-token',
  method: 'POST',
  path: '/auth/connect',
  summary:
    'Endpoint 12: create a connect token, with which a person links an account of a loyalty program. Valid 30 minutes, for one link.',
  credential: partnerKey,
  permission: 'connect:write',
  body: z.object({
    user: described('The customer who links an account, as the merchant knows them.', optional(ConnectingUserBody)),
    partnership_id: described('Only the program of this partnership is offered.', optional(uuid)),
    campaign_id: described('Only programs of the partnership of this campaign are offered.', optional(id)),
    redirect_uri: described('A redirect URI that the merchant has registered.', optional(text(maximumCharacters.url))),
    state: described(
      "Returned unchanged with the code: ties the code to the caller's own session.",
      optional(text(maximumCharacters.state)),
    ),
    code_challenge: described('PKCE, S256 (RFC 7636).', optional(z.string().check(z.regex(/^[\w-]{43}$/)))),
    code_challenge_method: described('Only S256.', optional(z.literal('S256'))),
  }),
  data: z.object({
    connect_token: described(`Connect token: valid ${duration(validityMs.connectToken)}, for one link.`, z.string()),
    connect_url: described('The page on which a person links an account in a browser.', z.string()),
    expires_at: described('From this time on the connect token is not valid.', datetime),
  }),
  refusals: { partnership_does_not_exist: 404, campaign_does_not_exist: 404, invalid_request: 400 },
  errors: {
    PartnershipNotFoundError: 'partnership_does_not_exist',
    CampaignNotFoundError: 'campaign_does_not_exist',
  },
  example: {
    request: {
      user: {
        external_id: 'customer-1001',
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'Byron',
        referrer_external_id: 'customer-0990',
        location: { country: 'US', region: 'TX', city: 'Austin' },
        attributes: { plan: ['monthly'] },
      },
      partnership_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
      redirect_uri: 'https://shop.example.com/linked',
      state: 'a3f1',
    },
    reply: {
      connect_token: 'rwt_sandbox_3q2-7w…',
      connect_url: 'https://base.rewards.example/connect/rwt_sandbox_3q2-7w…/page',
      expires_at: '2026-03-02T10:00:00.000Z',
    },
  },
  access: { table: { organisation: ['GetItem'], connect: ['PutItem'] }, indexes: ['byMerchant'] },
});
