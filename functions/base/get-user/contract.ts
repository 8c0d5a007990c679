import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { partnerKey } from '../../../shared/http/credential-schemes.ts';
import { PartnerKeyUser } from '../../../shared/http/views/user.ts';

export const contract = defineContract({
  host: 'base',
  name: 'get-user',
  method: 'GET',
  path: '/users/{id}',
  summary: 'Endpoint 4: get a user by UUID, with a partner key.',
  credential: partnerKey,
  permission: 'users:read',
  params: z.object({ id: z.string() }),
  data: z.object({ user: PartnerKeyUser }),
  errorField: 'error',
  refusals: { user_does_not_exist: 404 },
  notFound: 'user_does_not_exist',
  access: { table: { user: ['Query'] }, indexes: ['byMerchant', 'byPartner'] },
});
