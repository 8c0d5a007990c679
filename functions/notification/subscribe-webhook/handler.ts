import { endpoint } from '../../../shared/http/endpoint.ts';
import { endpointFault, selectorOf } from '../../../shared/http/webhook-request.ts';
import { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import { checkEndpointUrl } from '../../../shared/webhooks/endpoint-url.ts';
import { saltBytes, standardWebhooksSecret } from '../../../shared/webhooks/signature.ts';
import { readableEntityTypes, type Subscription, selectedEntityTypes } from '../../../shared/webhooks/subscription.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { subscriptions: Subscriptions },
  async ({ body, caller, platform, refuse }) => {
    const checked = checkEndpointUrl(body.endpoint, { httpHosts: platform.config.webhookHttpHosts });
    if (!checked.allowed) return refuse('invalid_subscription', `endpoint ${checked.message}`, endpointFault(checked));

    const selector = selectorOf(body);
    const readable = readableEntityTypes(caller.permissions);
    // Refused rather than silent for ever: nothing that this key may not read is told.
    if (!selectedEntityTypes(selector).some((type) => readable.includes(type))) {
      return refuse('invalid_subscription', 'The key may not read what these events are about');
    }

    const at = platform.now().toISOString();
    const subscription: Subscription = {
      ...selector,
      organisationId: caller.organisationId,
      subscriptionId: platform.nextUuid(),
      endpointUrl: checked.url.href,
      salt: Buffer.from(platform.random(saltBytes)).toString('hex'),
      readableEntityTypes: readable,
      createdAt: at,
      updatedAt: at,
    };
    if (!(await platform.subscriptions.create(subscription))) {
      return refuse('subscription_already_exists', 'A subscription already exists for the event');
    }

    return {
      subscribed: true,
      salt: subscription.salt,
      standard_webhooks_secret: standardWebhooksSecret(subscription.salt),
      subscription_id: subscription.subscriptionId,
    };
  },
);
