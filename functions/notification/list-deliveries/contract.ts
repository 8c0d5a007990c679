import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { listReply, pageQuery } from '../../../shared/http/paging.ts';
import { DeliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import { endpointErrors, endpointRefusals, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { datetime } from '../../../shared/http/wire.ts';
import { deliveryStates } from '../../../shared/webhooks/delivery.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'list-deliveries',
  method: 'GET',
  path: '/webhooks/{subscription_id}/deliveries',
  summary: 'List the deliveries of a subscription of the last 30 days, the latest event first.',
  credential: notificationPartnerKey,
  permission: 'webhooks:read',
  params: z.object({ ...subscriptionParams }),
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
  errorField: 'error',
  refusals: { ...endpointRefusals, invalid_request: 400 },
  errors: { ...endpointErrors },
  notFound: 'subscription_not_found',
  example: {
    reply: {
      data: {
        deliveries: [
          {
            event_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11',
            event: 'transaction_status_updated',
            entity: 3,
            entity_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
            occurred_at: '2026-03-02T09:30:00.000Z',
            state: 'delivered',
            attempts_made: 2,
            response_status: 200,
            error_class: null,
            total_ms: 41.5,
            address: '203.0.113.7',
            next_attempt_at: null,
            last_updated_date: '2026-03-02T09:30:01.000Z',
          },
        ],
      },
      cursor: { next: null, prev: null },
    },
  },
  access: { table: { webhook: ['Query'], delivery: ['Query'], platformKey: ['GetItem', 'PutItem'] } },
});
