import * as z from 'zod/mini';
import { defineContract, notificationPartnerKey } from '../../../shared/contracts/contract.ts';
import { DeliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import {
  announcingAccess,
  endpointErrors,
  endpointRefusals,
  subscriptionParams,
} from '../../../shared/http/webhook-request.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'test-webhook',
  method: 'POST',
  path: '/webhooks/{subscription_id}/test',
  summary: 'Send a test event to an endpoint, in any state of it. It is attempted once.',
  credential: notificationPartnerKey,
  permission: 'webhooks:write',
  params: z.object({ ...subscriptionParams }),
  data: z.object({ delivery: DeliveryView }),
  errorField: 'error',
  refusals: { ...endpointRefusals },
  errors: { ...endpointErrors },
  notFound: 'subscription_not_found',
  example: {
    reply: {
      delivery: {
        event_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11',
        event: 'webhook.test',
        entity: 4,
        entity_id: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e02',
        occurred_at: '2026-03-02T09:30:00.000Z',
        state: 'parked',
        attempts_made: 0,
        response_status: null,
        error_class: null,
        total_ms: null,
        address: null,
        next_attempt_at: '2026-03-02T09:30:01.000Z',
        last_updated_date: '2026-03-02T09:30:01.000Z',
      },
    },
  },
  access: announcingAccess,
});
