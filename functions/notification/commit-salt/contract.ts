import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { SubscriptionView } from '../../../shared/http/views/webhook.ts';
import { endpointErrors, endpointRefusals, subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'commit-salt',
  method: 'POST',
  path: '/webhooks/{subscription_id}/salt/commit',
  summary: 'End the replacement of a salt: from now on, the new one is the only one.',
  credential: notificationPartnerKey,
  permission: 'webhooks:write',
  params: z.object({ ...subscriptionParams }),
  data: z.object({ subscription: SubscriptionView }),
  errorField: 'error',
  refusals: { ...endpointRefusals, no_rotation: 409 },
  errors: { ...endpointErrors, NoRotationError: 'no_rotation' },
  notFound: 'subscription_not_found',
  example: {
    reply: {
      subscription: {
        subscription_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
        endpoint: 'https://shop.example.com/webhooks',
        event_name: 'transaction_status_updated',
        entity_type: null,
        state: 'closed',
        salt_activates_at: null,
        created_date: '2026-01-01T00:00:00.000Z',
        last_updated_date: '2026-01-01T00:00:00.000Z',
      },
    },
  },
  access: { table: { webhook: ['Query', 'UpdateItem'] } },
});
