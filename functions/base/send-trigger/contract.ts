import * as z from 'zod/mini';
import { defineContract, partnerKey } from '../../../shared/contracts/contract.ts';
import { described } from '../../../shared/contracts/described.ts';

import { jsonObject, optional, pathId, text, uuid } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'base',
  name: 'send-trigger',
  method: 'POST',
  path: '/partnerships/{id}/triggers',
  summary: 'Endpoint 3: send a trigger event of a partnership. Its rewards are evaluated after the reply.',
  credential: partnerKey,
  permission: 'triggers:write',
  params: z.object({ id: described('UUID of the partnership of the trigger.', pathId) }),
  body: z.object({
    trigger_name: described('A trigger that is configured for the partnership.', text()),
    external_user_id: described("The caller's own identifier of the user.", optional(text())),
    user_uuid: described("The platform's id of the user.", optional(uuid)),
    transaction_context: described(
      'Details of a trigger event, as configured for the trigger; or attributes of a purchase, for conditions of campaigns.',
      optional(jsonObject),
    ),
  }),
  data: z.object({ trigger_event_id: described('UUID of the trigger event.', z.uuid()) }),
  errorField: 'code',
  refusals: { partnership_does_not_exist: 404, invalid_request: 400 },
  errors: { PartnershipNotFoundError: 'partnership_does_not_exist' },
  notFound: 'partnership_does_not_exist',
  example: {
    request: { trigger_name: 'signup', external_user_id: 'customer-1001', transaction_context: { plan: 'gold' } },
    reply: { trigger_event_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e04' },
  },
  access: {
    table: {
      partnership: ['GetItem'],
      externalUser: ['GetItem'],
      user: ['Query'],
      triggerEvent: ['PutItem'],
      outbox: ['PutItem'],
    },
  },
});
