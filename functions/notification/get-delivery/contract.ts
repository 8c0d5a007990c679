import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { AttemptView, DeliveryView, deliveryExample } from '../../../shared/http/views/webhook.ts';
import { deliveryParams, subscriptionContract } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'get-delivery',
  method: 'GET',
  path: '/webhooks/{subscription_id}/deliveries/{event_id}',
  summary: 'Get a delivery with all its attempts.',
  permission: 'webhooks:read',
  params: deliveryParams,
  data: z.object({
    delivery: described('The delivery.', DeliveryView),
    attempts: described('The attempts of the delivery, the first one first.', z.array(AttemptView)),
  }),
  refusals: { delivery_not_found: 404 },
  errors: { DeliveryNotFoundError: 'delivery_not_found' },
  notFound: 'delivery_not_found',
  example: {
    reply: {
      delivery: deliveryExample,
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
