import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { SubscriptionView, subscriptionExample } from '../../../shared/http/views/webhook.ts';
import { webhookContract } from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'list-webhooks',
  method: 'GET',
  path: '/webhooks',
  summary: "List the caller's subscriptions with the state of their endpoints.",
  permission: 'webhooks:read',
  data: z.object({ subscriptions: described('All subscriptions of the caller.', z.array(SubscriptionView)) }),
  refusals: {},
  example: { reply: { subscriptions: [subscriptionExample] } },
  access: { table: { webhook: ['Query'] } },
});
