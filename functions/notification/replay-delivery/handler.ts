import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { deliveryReply } from '../../../shared/http/views/webhook.ts';
import { replayDelivery } from '../../../shared/operations/webhook/replay-delivery.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, deliveryReply, (request, deps, { event_id: eventId }) =>
  replayDelivery({ ...request, eventId }, deps),
);
