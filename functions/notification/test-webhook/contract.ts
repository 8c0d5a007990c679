import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { DeliveryView, parkedExample } from '../../../shared/http/views/webhook.ts';
import { announcingAccess, subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'test-webhook',
  method: 'POST',
  path: '/webhooks/{subscription_id}/test',
  summary:
    'Send a test event to an endpoint, in any state of it. It is attempted once. A subscription may have five a minute.',
  permission: 'webhooks:write',
  params: subscriptionParams,
  data: z.object({ delivery: described('The delivery.', DeliveryView) }),
  refusals: {},
  example: { reply: { delivery: { ...parkedExample, event: 'webhook.test', entity: 4 } } },
  access: announcingAccess(),
});
