import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { SubscriptionView, subscriptionExample } from '../../../shared/http/views/webhook.ts';
import { subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'enable-webhook',
  method: 'POST',
  path: '/webhooks/{subscription_id}/enable',
  summary: 'Let an endpoint that does not work receive deliveries again, and send those that wait.',
  permission: 'webhooks:write',
  params: subscriptionParams,
  data: z.object({ subscription: described('The subscription.', SubscriptionView) }),
  refusals: {},
  example: { reply: { subscription: subscriptionExample } },
  access: { table: { webhook: ['Query', 'UpdateItem'], outbox: ['PutItem'] } },
});
