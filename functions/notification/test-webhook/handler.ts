import { endpoint } from '../../../shared/http/endpoint.ts';
import { deliveryView } from '../../../shared/http/views/webhook-delivery.ts';
import { endpointRequestOf } from '../../../shared/http/webhook-request.ts';
import { findEndpointStores } from '../../../shared/operations/webhook/find-endpoint.ts';
import { sendTestEvent } from '../../../shared/operations/webhook/send-test-event.ts';
import type { Delivery } from '../../../shared/webhooks/delivery.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, findEndpointStores, ({ params, caller, replyWith }) =>
  replyWith(
    (delivery: Delivery) => ({ delivery: deliveryView(delivery) }),
    (deps) => sendTestEvent(endpointRequestOf(caller, params), deps),
  ),
);
