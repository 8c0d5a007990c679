import { endpoint } from '../../../shared/http/endpoint.ts';
import { selectorOf } from '../../../shared/http/webhook-request.ts';
import { subscribeWebhook, subscribeWebhookStores } from '../../../shared/operations/webhook/subscribe-webhook.ts';
import { standardWebhooksSecret } from '../../../shared/webhooks/delivery-request.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, subscribeWebhookStores, ({ body, caller, replyWith }) => {
  const { organisationId, permissions } = caller;
  const request = { organisationId, permissions, selector: selectorOf(body), endpoint: body.endpoint };
  return replyWith(
    ({ salt, subscriptionId }: Subscription) => ({
      subscribed: true,
      salt,
      standard_webhooks_secret: standardWebhooksSecret(salt),
      subscription_id: subscriptionId,
    }),
    (deps) => subscribeWebhook(request, deps),
  );
});
