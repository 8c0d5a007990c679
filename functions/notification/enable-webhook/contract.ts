import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { SubscriptionView } from '../../../shared/http/views/webhook.ts';
import { endpointErrors, endpointRefusals, subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'enable-webhook',
  method: 'POST',
  path: '/webhooks/{subscription_id}/enable',
  summary: 'Let an endpoint that does not work receive deliveries again, and send those that wait.',
  credential: notificationPartnerKey,
  permission: 'webhooks:write',
  params: z.object({ ...subscriptionParams }),
  data: z.object({ subscription: SubscriptionView }),
  errorField: 'error',
  refusals: { ...endpointRefusals },
  errors: { ...endpointErrors },
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
  access: { table: { webhook: ['Query', 'UpdateItem'], outbox: ['PutItem'] } },
});
