import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { HealthView, SubscriptionView, subscriptionExample } from '../../../shared/http/views/webhook.ts';
import { subscriptionParams, webhookContract } from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'get-webhook',
  method: 'GET',
  path: '/webhooks/{subscription_id}',
  summary: 'Get a subscription, and the health of its endpoint.',
  permission: 'webhooks:read',
  params: subscriptionParams,
  data: z.object({
    subscription: described('The subscription.', SubscriptionView),
    health: described('The health of the endpoint.', HealthView),
  }),
  refusals: { subscription_not_found: 404 },
  errors: { SubscriptionNotFoundError: 'subscription_not_found' },
  notFound: 'subscription_not_found',
  example: {
    reply: {
      subscription: subscriptionExample,
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
