import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { SubscriptionView } from '../../../shared/http/views/webhook.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'list-webhooks',
  method: 'GET',
  path: '/webhooks',
  summary: "List the caller's subscriptions with the state of their endpoints.",
  credential: notificationPartnerKey,
  permission: 'webhooks:read',
  data: z.object({ subscriptions: z.array(SubscriptionView) }),
  errorField: 'error',
  refusals: {},
  example: {
    reply: {
      subscriptions: [
        {
          subscription_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
          endpoint: 'https://shop.example.com/webhooks',
          event_name: 'transaction_status_updated',
          entity_type: null,
          state: 'closed',
          salt_activates_at: null,
          created_date: '2026-01-01T00:00:00.000Z',
          last_updated_date: '2026-01-01T00:00:00.000Z',
        },
      ],
    },
  },
  access: { table: { webhook: ['Query'] } },
});
