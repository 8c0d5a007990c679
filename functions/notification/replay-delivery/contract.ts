import * as z from 'zod/mini';
import { described } from '../../../shared/contracts/described.ts';
import { DeliveryView, parkedExample } from '../../../shared/http/views/webhook.ts';
import { announcingAccess, deliveryParams, subscriptionContract } from '../../../shared/http/webhook-request.ts';

export const contract = subscriptionContract({
  name: 'replay-delivery',
  method: 'POST',
  path: '/webhooks/{subscription_id}/deliveries/{event_id}/replay',
  summary: 'Send the event of a delivery again, with the same event id.',
  permission: 'webhooks:write',
  params: deliveryParams,
  data: z.object({ delivery: described('The delivery, which waits for its next attempt.', DeliveryView) }),
  refusals: { delivery_not_found: 404 },
  errors: { DeliveryNotFoundError: 'delivery_not_found' },
  notFound: 'delivery_not_found',
  example: { reply: { delivery: parkedExample } },
  access: announcingAccess('GetItem', 'Query'),
});
