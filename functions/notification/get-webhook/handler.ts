import { endpoint } from '../../../shared/http/endpoint.ts';
import { healthView, subscriptionView } from '../../../shared/http/views/webhook.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { getEndpoint, getEndpointStores } from '../../../shared/operations/webhook/get-endpoint.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getEndpointStores, async ({ params, caller, deps }) => {
  const overview = await getEndpoint(endpointRequestOf(caller, params), deps);
  return { subscription: subscriptionView(overview.subscription), health: healthView(overview) };
});
