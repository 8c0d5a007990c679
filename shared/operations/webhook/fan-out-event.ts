import type { PlatformEvent } from '../../contracts/events.ts';
import type { MessageQueue } from '../../events/message-queue.ts';
import { RecentSubscriptions } from '../../store/webhook/recent-subscriptions.ts';
import { type DeliveryMessage, firstAttempt } from '../../webhooks/delivery.ts';
import { laneOf } from '../../webhooks/endpoint-health.ts';
import { matchingSubscriptions } from '../../webhooks/subscription.ts';

export const fanOutEventStores = { subscriptions: RecentSubscriptions };

export interface FanOutDeps {
  readonly subscriptions: Pick<RecentSubscriptions, 'of'>;
  readonly fastQueue: Pick<MessageQueue<DeliveryMessage>, 'send'>;
  readonly slowQueue: Pick<MessageQueue<DeliveryMessage>, 'send'>;
}

/**
 * Queues the deliveries of an event to the subscriptions of both organisations, each in the fast or slow queue,
 * depending on its endpoint. If both organisations subscribed the same URL, the URL receives the event twice, because
 * each subscription has its own salt.
 *
 * @throws MessagesNotQueuedError when a queue did not accept all deliveries; a repetition queues some of them twice
 */
export async function fanOutEvent(event: PlatformEvent, deps: FanOutDeps): Promise<void> {
  const { subscriptions, fastQueue, slowQueue } = deps;
  const organisations = [...new Set([event.merchantId, event.partnerId])];
  const lists = await Promise.all(organisations.map((id) => subscriptions.of(id, event.occurredAt)));
  const matching = lists.flatMap((list) => matchingSubscriptions(event, list));
  const inLane = (lane: 'fast' | 'slow') =>
    matching.filter(({ health }) => laneOf(health) === lane).map((subscription) => firstAttempt(event, subscription));
  await Promise.all([fastQueue.send(inLane('fast')), slowQueue.send(inLane('slow'))]);
}
