import { endpoint } from '../../../shared/http/endpoint.ts';
import { subscriptionView } from '../../../shared/http/views/webhook.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { enableEndpoint } from '../../../shared/operations/webhook/enable-endpoint.ts';
import { findEndpointStores } from '../../../shared/operations/webhook/find-endpoint.ts';
import type { Subscription } from '../../../shared/webhooks/subscription.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, findEndpointStores, ({ params, caller, replyWith }) =>
  replyWith(
    (subscription: Subscription) => ({ subscription: subscriptionView(subscription) }),
    (deps) => enableEndpoint(endpointRequestOf(caller, params), deps),
  ),
);
