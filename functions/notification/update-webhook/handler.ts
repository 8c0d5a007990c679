import { endpoint } from '../../../shared/http/endpoint.ts';
import { endpointFault, selectorOf } from '../../../shared/http/webhook-request.ts';
import { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import { checkEndpointUrl } from '../../../shared/webhooks/endpoint-url.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { subscriptions: Subscriptions },
  async ({ body, caller, platform, refuse }) => {
    const selector = selectorOf(body);
    const { organisationId } = caller;
    const { subscriptions } = platform;
    if (body.endpoint === '') {
      if (await subscriptions.remove(organisationId, selector)) return { subscribed: true };
      return refuse('event_not_exists', 'The event subscription does not exist');
    }

    const checked = checkEndpointUrl(body.endpoint, { httpHosts: platform.config.webhookHttpHosts });
    if (!checked.allowed) return refuse('invalid_subscription', `endpoint ${checked.message}`, endpointFault(checked));

    const moved = { endpointUrl: checked.url.href, updatedAt: platform.now().toISOString() };
    if (await subscriptions.moveEndpoint(organisationId, selector, moved)) return { subscribed: true };
    return refuse('event_not_exists', 'The event subscription does not exist');
  },
);
