import { subscriptionEndpoint } from '../../../shared/http/subscription-endpoint.ts';
import { detailsReply } from '../../../shared/http/views/webhook.ts';
import { getDelivery } from '../../../shared/operations/webhook/get-delivery.ts';
import { contract } from './contract.ts';

export const handler = subscriptionEndpoint(contract, detailsReply, (request, deps, { event_id: eventId }) =>
  getDelivery({ ...request, eventId }, deps),
);
