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
 * Queues the deliveries of an event to the endpoints of both organisations. An endpoint of both receives it from
 * each, because each has a salt of its own.
 *
 * @throws MessagesNotQueuedError when the queue did not take all of them; a repetition queues some twice
 */
export async function fanOutEvent(event: PlatformEvent, { subscriptions, queue }: FanOutDeps): Promise<void> {
  const organisations = [...new Set([event.merchantId, event.partnerId])];
  const lists = await Promise.all(organisations.map((id) => subscriptions.of(id, event.occurredAt)));
  const matching = lists.flatMap((list) => matchingSubscriptions(event, list));

  await queue.send(matching.map((subscription) => firstAttempt(event, subscription)));
}
