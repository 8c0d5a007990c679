import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { accountExample, customerExample, PartnerKeyUser } from '../../../shared/http/views/user.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-user',
  method: 'GET',
  path: '/users/{id}',
  summary: 'Endpoint 4: get a user by UUID, with a partner key.',
  credential: partnerKey,
  permission: 'users:read',
  params: z.object({ id: described('UUID of the user.', pathId) }),
  data: z.object({ user: described('The user, as far as the caller may see it.', PartnerKeyUser) }),
  refusals: { user_does_not_exist: 404 },
  errors: { UserNotFoundError: 'user_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: {
    reply: {
      user: {
        uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e03',
        id: 42,
        first_name: 'Ada',
        last_name: 'Byron',
        email: 'ada@example.com',
        phone_number: '+14155550123',
        created_date: '2026-03-02T09:30:00.000Z',
        external_id: null,
        partner_status_tiers: [{ ...accountExample, first_name: 'Ada', last_name: 'Byron' }],
        merchants: [customerExample],
      },
    },
  },
  access: { table: { user: ['Query'] }, indexes: ['byMerchant', 'byPartner'] },
});
