import { endpoint } from '../../../shared/http/endpoint.ts';
import { selectorOf } from '../../../shared/http/webhook-request.ts';
import { subscribeWebhookStores } from '../../../shared/operations/webhook/subscribe-webhook.ts';
import { updateWebhook } from '../../../shared/operations/webhook/update-webhook.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, subscribeWebhookStores, ({ body, caller, replyWith }) => {
  const { organisationId, permissions } = caller;
  const update = { organisationId, permissions, selector: selectorOf(body), endpoint: body.endpoint };
  return replyWith(
    () => ({ subscribed: true }),
    (deps) => updateWebhook(update, deps),
  );
});
