import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { AttemptView, DeliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import { endpointErrors, endpointRefusals, subscriptionParams } from '../../../shared/http/webhook-request.ts';
import { pathId } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'get-delivery',
  method: 'GET',
  path: '/webhooks/{subscription_id}/deliveries/{event_id}',
  summary: 'Get a delivery with all its attempts.',
  credential: notificationPartnerKey,
  permission: 'webhooks:read',
  params: z.object({ ...subscriptionParams, event_id: pathId }),
  data: z.object({ delivery: DeliveryView, attempts: z.array(AttemptView) }),
  errorField: 'error',
  refusals: { ...endpointRefusals, delivery_not_found: 404 },
  errors: { ...endpointErrors, DeliveryNotFoundError: 'delivery_not_found' },
  notFound: 'delivery_not_found',
  example: {
    reply: {
      delivery: {
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
      attempts: [
        {
          attempt: 1,
          at: '2026-03-02T09:30:00.000Z',
          result: 'failed',
          response_status: 503,
          error_class: 'server_error',
          total_ms: 35.1,
          dns_ms: 1.2,
          connect_ms: 8.4,
          tls_ms: 12.9,
          first_byte_ms: 11.8,
          address: '203.0.113.7',
          endpoint: 'https://shop.example.com/webhooks',
          response_excerpt: 'deploying',
        },
      ],
    },
  },
  access: { table: { webhook: ['Query'], delivery: ['GetItem', 'Query'] } },
});
