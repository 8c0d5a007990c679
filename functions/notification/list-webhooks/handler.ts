import { endpoint } from '../../../shared/http/endpoint.ts';
import { subscriptionView } from '../../../shared/http/views/webhook.ts';
import { findEndpointStores, listEndpoints } from '../../../shared/operations/webhook/find-endpoint.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, findEndpointStores, async ({ caller, deps }) => {
  const subscriptions = await listEndpoints(caller.organisationId, deps);
  return { subscriptions: subscriptions.map(subscriptionView) };
});
