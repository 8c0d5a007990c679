import * as z from 'zod/mini';
import { defineContract, userToken } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { accountExample, customerExample, UserTokenUser } from '../../../shared/http/views/user.ts';
import { pathInteger } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'user',
  name: 'get-user-status',
  method: 'GET',
  path: '/users/{id}',
  summary: "Endpoint 5: get the status data of the token's user, limited to the token's merchant.",
  credential: userToken,
  params: z.object({ id: described('Integer id of the user of the token.', pathInteger) }),
  data: z.object({ user: described('The user, as far as the merchant of the token may see it.', UserTokenUser) }),
  refusals: { user_does_not_exist: 404 },
  errors: { UserNotFoundError: 'user_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: {
    reply: {
      user: {
        id: 42,
        first_name: 'Ada',
        last_name: 'Byron',
        email: 'ada@example.com',
        created_date: '2026-03-02T09:30:00.000Z',
        merchants: [customerExample],
        partner_status_tiers: [accountExample],
      },
    },
  },
  access: { table: { user: ['Query'] }, indexes: ['byMerchant'] },
});
