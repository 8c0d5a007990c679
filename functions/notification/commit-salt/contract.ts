import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { SubscriptionView, subscriptionExample } from '../../../shared/http/views/webhook.ts';
import { subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'commit-salt',
  method: 'POST',
  path: '/webhooks/{subscription_id}/salt/commit',
  summary: 'End the replacement of a salt: from now on, the new one is the only one.',
  permission: 'webhooks:write',
  params: subscriptionParams,
  data: z.object({ subscription: described('The subscription.', SubscriptionView) }),
  refusals: { no_rotation: 409 },
  errors: { NoRotationError: 'no_rotation' },
  example: { reply: { subscription: subscriptionExample } },
  access: { table: { webhook: ['Query', 'UpdateItem'] } },
});
