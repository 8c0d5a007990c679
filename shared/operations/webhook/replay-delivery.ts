import type { PlatformEvent } from '../../contracts/events.ts';
import { recordWrites } from '../../store/webhook/deliveries.ts';
import { type Delivery, parkedAgain } from '../../webhooks/delivery.ts';
import { newHealth, withWork } from '../../webhooks/endpoint-health.ts';
import type { Replying } from '../operation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { changeEndpoint, type getEndpointStores } from './find-endpoint.ts';
import { type DeliveryRequest, getDelivery } from './get-delivery.ts';

/**
 * Parks the delivery of an event again, as if for its first attempt. An endpoint that works receives it at once. Else it
 * waits until the endpoint works. Receivers recognise it by the event's id, which stays the same.
 *
 * @returns the delivery, which is parked now
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, DeliveryNotFoundError
 */
export async function replayDelivery(
  request: DeliveryRequest,
  deps: AuditedDeps<typeof getEndpointStores> & Replying<Delivery>,
): Promise<Delivery> {
  const { event } = (await getDelivery(request, deps)).delivery;
  return changeEndpoint(
    request,
    async (subscription) => {
      const { subscriptionId, health = newHealth } = subscription;
      const now = deps.now();
      const record = parkedAgain(event, now);
      await deps.subscriptions.announceWork(subscription, withWork(health, now), {
        now,
        nextUuid: deps.nextUuid,
        writes: [...recordWrites(subscriptionId, record), ...(await auditWrites(whatOf(event, subscriptionId), deps))],
        replyWrites: deps.replyWrites?.(record.delivery),
      });
      return record.delivery;
    },
    deps,
  );
}

const whatOf = ({ id, name }: PlatformEvent, subscriptionId: string) =>
  `replays the event ${id} (${name}) to subscription ${subscriptionId}`;
