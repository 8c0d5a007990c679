import { recordWrites } from '../../store/webhook/deliveries.ts';
import { type Delivery, parkedAgain } from '../../webhooks/delivery.ts';
import { newHealth, withWork } from '../../webhooks/endpoint-health.ts';
import { type getEndpointStores, type RequestedDeps, requestWork } from './find-endpoint.ts';
import { type DeliveryRequest, getDelivery } from './get-delivery.ts';

/**
 * Parks the delivery of an event again, as if for its first attempt. A working endpoint receives the delivery at once.
 * Otherwise the delivery waits until the endpoint works. Receivers recognise the event by its id, which stays the same.
 *
 * @returns the delivery, which is parked now
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, DeliveryNotFoundError
 */
export async function replayDelivery(
  request: DeliveryRequest,
  deps: RequestedDeps<Delivery, typeof getEndpointStores>,
): Promise<Delivery> {
  const { event } = (await getDelivery(request, deps)).delivery;
  return requestWork(
    request,
    ({ subscriptionId, health = newHealth }, now) => {
      const record = parkedAgain(event, now);
      return {
        health: withWork(health, now),
        writes: recordWrites(subscriptionId, record),
        what: `replays the event ${event.id} (${event.name}) to subscription ${subscriptionId}`,
        result: record.delivery,
      };
    },
    deps,
  );
}
