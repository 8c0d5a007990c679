import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { subscriptionRequest, webhookContract } from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'subscribe-webhook',
  method: 'POST',
  path: '/webhooks/subscribe',
  summary: 'Endpoint 13: subscribe an endpoint to one event, to all events of an entity type, or to all events.',
  permission: 'webhooks:write',
  body: subscriptionRequest(),
  data: z.object({
    subscribed: described('True if the subscription succeeded.', z.boolean()),
    salt: described('The key of both webhook signatures. Shown once.', z.string()),
    standard_webhooks_secret: described('The same key in the notation of Standard Webhooks.', z.string()),
    subscription_id: described('UUID of the subscription.', z.uuid()),
  }),
  refusals: { invalid_subscription: 400, subscription_already_exists: 400 },
  errors: { EventsNotReadableError: 'invalid_subscription', SubscriptionExistsError: 'subscription_already_exists' },
  invalidRequest: 'invalid_subscription',
  example: {
    request: { endpoint: 'https://shop.example.com/webhooks', event_name: 'transaction_status_updated' },
    reply: {
      subscribed: true,
      salt: '5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f',
      standard_webhooks_secret: 'whsec_NWY1ZjVm',
      subscription_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
    },
  },
  access: { table: { webhook: ['PutItem'] } },
});
