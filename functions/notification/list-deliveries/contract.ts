import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { DeliverableName } from '../../../shared/contracts/events.ts';
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
    state: described('Only deliveries in this state.', z.optional(z.enum(deliveryStates))),
    event_name: described('Only deliveries of this event.', z.optional(DeliverableName)),
    since: described('Events from this time on.', z.optional(datetime)),
    until: described('Events before this time; by default and at most the present.', z.optional(datetime)),
    ...pageQuery,
  }),
  data: listReply(
    z.object({ deliveries: described('The deliveries of the page, the latest event first.', z.array(DeliveryView)) }),
  ),
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
