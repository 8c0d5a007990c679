import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { subscriptionRequest, webhookContract } from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'update-webhook',
  method: 'PUT',
  path: '/webhooks/subscribe',
  summary: 'Endpoint 14: change the endpoint of a subscription; an empty endpoint deletes it.',
  permission: 'webhooks:write',
  body: subscriptionRequest(0),
  data: z.object({ subscribed: described('True if the subscription succeeded.', z.boolean()) }),
  refusals: { invalid_subscription: 400, event_not_exists: 404, unauthorized_partner: 401 },
  errors: { SubscriptionNotFoundError: 'event_not_exists', SubscriptionNotReadableError: 'unauthorized_partner' },
  invalidRequest: 'invalid_subscription',
  example: {
    request: { endpoint: 'https://shop.example.com/webhooks/v2', event_name: 'transaction_status_updated' },
    reply: { subscribed: true },
  },
  access: { table: { webhook: ['GetItem', 'UpdateItem', 'DeleteItem'], outbox: ['PutItem'] } },
});
