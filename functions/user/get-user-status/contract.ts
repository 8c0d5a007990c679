import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { userToken } from '../../../shared/http/credential-schemes.ts';
import { UserTokenUser } from '../../../shared/http/views/user.ts';

export const contract = defineContract({
  host: 'user',
  name: 'get-user-status',
  method: 'GET',
  path: '/users/{id}',
  summary: "Endpoint 5: get the status data of the token's own user.",
  credential: userToken,
  params: z.object({ id: z.string() }),
  data: z.object({ user: UserTokenUser }),
  errorField: 'error',
  refusals: { user_does_not_exist: 404 },
  notFound: 'user_does_not_exist',
  access: { table: { user: ['Query'] } },
});
