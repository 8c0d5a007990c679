import { endpoint } from '../../../shared/http/endpoint.ts';
import { attemptsView, deliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { getDelivery } from '../../../shared/operations/webhook/get-delivery.ts';
import { getEndpointStores } from '../../../shared/operations/webhook/get-endpoint.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getEndpointStores, async ({ params, caller, deps }) => {
  const request = { ...endpointRequestOf(caller, params), eventId: params.event_id };
  const details = await getDelivery(request, deps);
  return { delivery: deliveryView(details.delivery), attempts: attemptsView(details) };
});
