import { plainError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import type { DeliveryDetails } from '../../store/webhook/deliveries.ts';
import type { Deps } from '../operation.ts';
import { type EndpointRequest, findReadableEndpoint, type getEndpointStores } from './find-endpoint.ts';

/** The subscription has no delivery of the event, or the delivery was deleted after its 30 days. */
export class DeliveryNotFoundError extends plainError('DeliveryNotFoundError', 'The delivery does not exist') {}

/** A delivery of a subscription. */
export interface DeliveryRequest extends EndpointRequest {
  readonly eventId: string;
}

/**
 * Loads a delivery with its failed attempts.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, DeliveryNotFoundError
 */
export async function getDelivery(
  request: DeliveryRequest,
  deps: Deps<typeof getEndpointStores>,
): Promise<DeliveryDetails> {
  const { subscriptionId } = await findReadableEndpoint(request, deps);
  const found = isUuid(request.eventId) ? await deps.deliveries.find(subscriptionId, request.eventId) : undefined;
  if (!found) throw new DeliveryNotFoundError();
  return found;
}
