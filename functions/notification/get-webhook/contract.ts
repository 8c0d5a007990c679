import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { HealthView, SubscriptionView } from '../../../shared/http/views/webhook.ts';
import { subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'get-webhook',
  method: 'GET',
  path: '/webhooks/{subscription_id}',
  summary: 'Get a subscription, and the health of its endpoint.',
  credential: notificationPartnerKey,
  permission: 'webhooks:read',
  params: z.object({ ...subscriptionParams }),
  data: z.object({ subscription: SubscriptionView, health: HealthView }),
  errorField: 'error',
  refusals: { subscription_not_found: 404 },
  errors: { SubscriptionNotFoundError: 'subscription_not_found' },
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
      health: {
        state: 'closed',
        disabled_reason: null,
        failing_since: null,
        next_attempt_at: null,
        lane: 'fast',
        attempted_deliveries: 100,
        success_rate: 0.99,
        p50_ms: 41.5,
        p95_ms: 180.2,
        backlog: { deliveries: 0, has_more: false, oldest_event_at: null },
        replay_id: null,
      },
    },
  },
  access: { table: { webhook: ['Query'], delivery: ['Query'] } },
});
