import * as z from 'zod/mini';
import { SubscriptionView, subscriptionExample } from '../../../shared/http/views/webhook.ts';
import {
  endpointErrors,
  endpointRefusals,
  subscriptionParams,
  webhookContract,
} from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'commit-salt',
  method: 'POST',
  path: '/webhooks/{subscription_id}/salt/commit',
  summary: 'End the replacement of a salt: from now on, the new one is the only one.',
  permission: 'webhooks:write',
  params: subscriptionParams,
  data: z.object({ subscription: SubscriptionView }),
  refusals: { ...endpointRefusals, no_rotation: 409 },
  errors: { ...endpointErrors, NoRotationError: 'no_rotation' },
  notFound: 'subscription_not_found',
  example: { reply: { subscription: subscriptionExample } },
  access: { table: { webhook: ['Query', 'UpdateItem'] } },
});
