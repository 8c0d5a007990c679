import { endpoint } from '../../../shared/http/endpoint.ts';
import { deliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { getEndpointStores } from '../../../shared/operations/webhook/get-endpoint.ts';
import { replayDelivery } from '../../../shared/operations/webhook/replay-delivery.ts';
import type { Delivery } from '../../../shared/webhooks/delivery.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, getEndpointStores, ({ params, caller, replyWith }) => {
  const request = { ...endpointRequestOf(caller, params), eventId: params.event_id };
  return replyWith(
    (delivery: Delivery) => ({ delivery: deliveryView(delivery) }),
    (deps) => replayDelivery(request, deps),
  );
});
