import * as z from 'zod/mini';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { listReply, pageQuery } from '../../../shared/http/paging.ts';
import { DeliveryView, deliveryExample } from '../../../shared/http/views/webhook.ts';
import { subscriptionContract, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { datetime } from '../../../shared/http/wire.ts';
import { deliveryStates } from '../../../shared/webhooks/delivery.ts';

export const contract = subscriptionContract({
  name: 'list-deliveries',
  method: 'GET',
  path: '/webhooks/{subscription_id}/deliveries',
  summary: 'List the deliveries of a subscription of the last 30 days, the latest event first.',
  permission: 'webhooks:read',
  params: subscriptionParams,
  query: z.object({
    state: z.optional(z.enum(deliveryStates)),
    event_name: z.optional(PlatformEvent.shape.name),
    /** Events from this time on. */
    since: z.optional(datetime),
    /** Events before this time. */
    until: z.optional(datetime),
    ...pageQuery,
  }),
  data: listReply(z.object({ deliveries: z.array(DeliveryView) })),
  envelope: 'list',
  refusals: { invalid_request: 400 },
  example: {
    reply: {
      data: { deliveries: [deliveryExample] },
      cursor: { next: null, prev: null },
    },
  },
  access: { table: { webhook: ['Query'], delivery: ['Query'], platformKey: ['GetItem', 'PutItem'] } },
});
