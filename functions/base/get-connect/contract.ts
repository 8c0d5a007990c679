import * as z from 'zod/mini';
import { connectToken, defineContract } from '../../../shared/contracts/contract.ts';
import { datetime, id } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-connect',
  method: 'GET',
  path: '/connect/{connect_token}',
  summary:
    'List the loyalty programs that can be linked with a connect token, and the customer account that they are linked to.',
  credential: connectToken,
  params: z.object({ connect_token: z.string() }),
  data: z.object({
    merchant: z.object({ id, name: z.string() }),
    /** The merchant's customer account, as the merchant described it. */
    customer: z.object({
      external_id: z.nullable(z.string()),
      email: z.nullable(z.string()),
      first_name: z.nullable(z.string()),
      last_name: z.nullable(z.string()),
    }),
    partners: z.array(
      z.object({ partner_id: id, partnership_id: z.uuid(), name: z.string(), description: z.nullable(z.string()) }),
    ),
    expires_at: datetime,
  }),
  isForBrowsers: true,
  errorField: 'error',
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
