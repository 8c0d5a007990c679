import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';
import { AttributesBody, LocationBody } from '../../../shared/http/connecting-user.ts';
import { ReportedUser } from '../../../shared/http/views/user.ts';
import { optional, pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'update-attributes',
  method: 'PUT',
  path: '/users/{id}/attributes',
  summary:
    'Added: report the attributes and the location of a customer as a merchant, or the status tier as the partner. Absent fields and attributes stay.',
  credential: partnerKey,
  permission: 'users:write',
  params: z.object({ id: described('UUID of the user.', pathId) }),
  body: z.object({
    attributes: described(
      "Texts by name, in the merchant's own names: conditions of campaigns compare them.",
      optional(AttributesBody),
    ),
    location: described('Where the customer lives.', optional(LocationBody)),
    partner_status_tier_id: described(
      "The account's status tier: a tier of the partner's registry; 0 for no tier.",
      optional(z.int().check(z.gte(0))),
    ),
  }),
  data: z.object({ user: described('The user, with everything that the caller may report.', ReportedUser) }),
  refusals: { user_does_not_exist: 404, invalid_request: 400 },
  errors: { UserNotFoundError: 'user_does_not_exist' },
  notFound: 'user_does_not_exist',
  example: {
    request: { attributes: { plan: ['gold'] }, location: { country: 'US', region: 'TX', city: 'Austin' } },
    reply: {
      user: {
        uuid_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e03',
        id: 42,
        attributes: { plan: ['gold'] },
        location: { country: 'US', region: 'TX', city: 'Austin' },
      },
    },
  },
  access: { table: { user: ['Query', 'UpdateItem'], organisation: ['GetItem'] } },
});
