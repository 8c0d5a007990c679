import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { unlinkAccess } from '../../../shared/contracts/table.ts';
import { id, pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'unlink-account',
  method: 'POST',
  path: '/users/{id}/unlink',
  summary: "Unlink a user's account of a loyalty program at the caller's merchant. The user may link it again.",
  credential: partnerKey,
  permission: 'connect:write',
  params: z.object({ id: described('UUID of the user.', pathId) }),
  body: z.object({ partner_id: described('The program whose account is unlinked.', id) }),
  data: z.object({ unlinked: described('Always true.', z.literal(true)) }),
  refusals: { user_does_not_exist: 404, link_does_not_exist: 404, invalid_request: 400 },
  errors: { UserNotFoundError: 'user_does_not_exist', LinkNotFoundError: 'link_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: { request: { partner_id: 2 }, reply: { unlinked: true } },
  access: unlinkAccess,
});
