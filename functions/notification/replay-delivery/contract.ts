import * as z from 'zod/mini';
import { DeliveryView, parkedExample } from '../../../shared/http/views/webhook.ts';
import {
  announcingAccess,
  deliveryParams,
  endpointErrors,
  endpointRefusals,
  webhookContract,
} from '../../../shared/http/webhook-request.ts';

export const contract = webhookContract({
  name: 'replay-delivery',
  method: 'POST',
  path: '/webhooks/{subscription_id}/deliveries/{event_id}/replay',
  summary: 'Send the event of a delivery again, with the same event id.',
  permission: 'webhooks:write',
  params: deliveryParams,
  data: z.object({ delivery: DeliveryView }),
  refusals: { ...endpointRefusals, delivery_not_found: 404 },
  errors: { ...endpointErrors, DeliveryNotFoundError: 'delivery_not_found' },
  notFound: 'delivery_not_found',
  example: { reply: { delivery: parkedExample } },
  access: announcingAccess('GetItem', 'Query'),
});
