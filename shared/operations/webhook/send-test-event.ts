import { type PlatformEvent, testEventName } from '../../contracts/events.ts';
import { recordWrites } from '../../store/webhook/deliveries.ts';
import { type Delivery, parkedAgain } from '../../webhooks/delivery.ts';
import { newHealth, withTest } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type EndpointRequest, type RequestedDeps, requestWork } from './find-endpoint.ts';

/**
 * Sends a test event to an endpoint now, whatever the state of the endpoint. The event is attempted once. After a
 * success, an endpoint in the state `open` counts as working again; a failure changes nothing.
 *
 * @returns the delivery of the event, which is parked until it is sent
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function sendTestEvent(request: EndpointRequest, deps: RequestedDeps<Delivery>): Promise<Delivery> {
  return requestWork(
    request,
    (subscription, now) => {
      const { subscriptionId, health = newHealth } = subscription;
      const event = testEvent(subscription, { id: deps.nextUuid(), now });
      const record = parkedAgain(event, now);
      return {
        health: withTest(health, event.id, now),
        writes: recordWrites(subscriptionId, record),
        what: `sends a test event to subscription ${subscriptionId}`,
        result: record.delivery,
      };
    },
    deps,
  );
}

function testEvent(
  { subscriptionId, organisationId }: Subscription,
  { id, now }: { readonly id: string; readonly now: Date },
): PlatformEvent {
  return {
    ...{ id, name: testEventName, entityId: subscriptionId, occurredAt: now.toISOString() },
    ...{ merchantId: organisationId, partnerId: organisationId },
  };
}
