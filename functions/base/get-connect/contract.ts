import * as z from 'zod/mini';
import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { connectTokenParams, datetime, id, partnerId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-connect',
  method: 'GET',
  path: '/connect/{connect_token}',
  summary:
    'List the loyalty programs that can be linked with a connect token, and the customer account that they are linked to.',
  credential: connectToken,
  params: connectTokenParams,
  data: z.object({
    merchant: described(
      'The merchant at whom the account is linked.',
      z.object({ id: described('Id of the merchant.', id), name: described('Name of the merchant.', z.string()) }),
    ),
    customer: described(
      "The merchant's customer account, as the merchant described it.",
      z.object({
        external_id: described("The merchant's own id of the customer.", z.nullable(z.string())),
        email: described('E-mail address.', z.nullable(z.string())),
        first_name: described('First name.', z.nullable(z.string())),
        last_name: described('Last name.', z.nullable(z.string())),
      }),
    ),
    partners: described(
      'The programs that can be linked.',
      z.array(
        z.object({
          partner_id: partnerId,
          partnership_id: described('UUID of the partnership.', z.uuid()),
          name: described('Display name of the partnership.', z.string()),
          description: described('Description of the partnership.', z.nullable(z.string())),
        }),
      ),
    ),
    expires_at: described('From this time on the connect token is not valid.', datetime),
  }),
  isForBrowsers: true,
  refusals: {},
  example: {
    reply: {
      merchant: { id: 1, name: 'Corner Store' },
      customer: { external_id: 'customer-1001', email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' },
      partners: [
        {
          partner_id: 2,
          partnership_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
          name: 'Sky Miles at Corner Store',
          description: null,
        },
      ],
      expires_at: '2026-03-02T10:00:00.000Z',
    },
  },
  access: { table: { organisation: ['GetItem'] }, indexes: ['byMerchant'] },
});
