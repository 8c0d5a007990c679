import * as z from 'zod/mini';
import { defineContract, userToken } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { unlinkAccess } from '../../../shared/contracts/table.ts';
import { id, pathInteger } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'user',
  name: 'unlink-own-account',
  method: 'POST',
  path: '/users/{id}/unlink',
  summary: "Unlink an account of a loyalty program of the token's user, at the token's merchant.",
  credential: userToken,
  params: z.object({ id: described('Integer id of the user of the token.', pathInteger) }),
  body: z.object({ partner_id: described('The program whose account is unlinked.', id) }),
  data: z.object({ unlinked: described('Always true.', z.literal(true)) }),
  refusals: { user_does_not_exist: 404, link_does_not_exist: 404, invalid_request: 400 },
  errors: { UserNotFoundError: 'user_does_not_exist', LinkNotFoundError: 'link_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: { request: { partner_id: 2 }, reply: { unlinked: true } },
  access: unlinkAccess,
});
