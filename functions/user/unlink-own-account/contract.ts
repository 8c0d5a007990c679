import * as z from 'zod/mini';
import { defineContract, userToken } from '../../../shared/contracts/contract.ts';
import { unlinkAccess } from '../../../shared/contracts/table.ts';
import { id, pathInteger } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'user',
  name: 'unlink-own-account',
  method: 'POST',
  path: '/users/{id}/unlink',
  summary: "Unlink an account of a loyalty program of the token's user, at the token's merchant.",
  credential: userToken,
  params: z.object({ id: pathInteger }),
  body: z.object({ partner_id: id }),
  data: z.object({ unlinked: z.literal(true) }),
  errorField: 'error',
  refusals: { user_does_not_exist: 404, link_does_not_exist: 404, invalid_request: 400 },
  errors: { UserNotFoundError: 'user_does_not_exist', LinkNotFoundError: 'link_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: { request: { partner_id: 2 }, reply: { unlinked: true } },
  access: unlinkAccess,
});
