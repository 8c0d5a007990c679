import type { PlatformEvent } from '../contracts/events.ts';
import type { MessageQueue } from '../events/message-queue.ts';
import { RecentSubscriptions } from '../store/webhook/subscriptions.ts';
import { type DeliveryMessage, firstAttempt, matchingSubscriptions } from '../webhooks/subscription.ts';

export const fanOutEventStores = { subscriptions: RecentSubscriptions };

export interface FanOutDeps {
  readonly subscriptions: Pick<RecentSubscriptions, 'of'>;
  readonly queue: Pick<MessageQueue<DeliveryMessage>, 'send'>;
}

/**
 * Queues the deliveries of an event to the subscriptions of both organisations. If both organisations subscribed the
 * same URL, it receives the event twice, because each subscription has its own salt.
 *
 * @throws MessagesNotQueuedError when the queue did not accept all deliveries; a repetition queues some of them twice
 */
export async function fanOutEvent(event: PlatformEvent, { subscriptions, queue }: FanOutDeps): Promise<void> {
  const organisations = [...new Set([event.merchantId, event.partnerId])];
  const lists = await Promise.all(organisations.map((id) => subscriptions.of(id, event.occurredAt)));
  const matching = lists.flatMap((list) => matchingSubscriptions(event, list));

  await queue.send(matching.map((subscription) => firstAttempt(event, subscription)));
}
