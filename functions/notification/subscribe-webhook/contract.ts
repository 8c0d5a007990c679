import * as z from 'zod/mini';
import { defineContract } from '../../../shared/http/contract.ts';
import { notificationPartnerKey } from '../../../shared/http/credential-schemes.ts';
import { subscriptionRequest } from '../../../shared/http/webhook-request.ts';
import { text } from '../../../shared/http/wire.ts';

export const contract = defineContract({
  host: 'notification',
  name: 'subscribe-webhook',
  method: 'POST',
  path: '/webhooks/subscribe',
  summary: 'Endpoint 13: subscribe an endpoint to an event, to all events of an entity, or to all.',
  credential: notificationPartnerKey,
  permission: 'webhooks:write',
  body: subscriptionRequest(text(2048)),
  data: z.object({
    subscribed: z.boolean(),
    /** The key of both signatures; shown once. */
    salt: z.string(),
    /** The same key in the notation of Standard Webhooks libraries. */
    standard_webhooks_secret: z.string(),
    subscription_id: z.uuid(),
  }),
  errorField: 'error',
  refusals: { invalid_subscription: 400, subscription_already_exists: 400 },
  invalidRequest: 'invalid_subscription',
  access: { table: { organisation: ['PutItem'] } },
});
