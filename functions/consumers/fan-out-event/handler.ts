import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import { once } from '../../../shared/domain/memoize.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openDeliverQueue } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { RecentSubscriptions } from '../../../shared/store/webhook/recent-subscriptions.ts';
import { Subscriptions } from '../../../shared/store/webhook/subscriptions.ts';
import type { DeliverQueue } from '../../../shared/webhooks/deliver-queue.ts';
import { firstDelivery } from '../../../shared/webhooks/delivery-message.ts';
import { subscriptionsHearing } from '../../../shared/webhooks/matching.ts';
import { consumer as declaration } from './consumer.ts';

export interface FanOut {
  readonly subscriptions: Pick<RecentSubscriptions, 'of'>;
  readonly queue: Pick<DeliverQueue, 'send'>;
}

const ports = once((): FanOut => {
  const { config, now, table } = runtime();
  return {
    subscriptions: new RecentSubscriptions(new Subscriptions(table), now),
    queue: openDeliverQueue(config),
  };
});

/** Turns each event into one message for each endpoint that hears it. */
export const handler = consumer(declaration, {}, (event) => fanOutEvent(event, ports()));

/**
 * Queues an event's deliveries. An endpoint of both sides' hears it from each, for each has its own salt.
 * @throws when one of them is not queued for certain; done again, some are queued twice
 */
export async function fanOutEvent(event: PlatformEvent, { subscriptions, queue }: FanOut): Promise<void> {
  const sides = [...new Set([event.merchantId, event.partnerId])];
  const ofSides = await Promise.all(sides.map((side) => subscriptions.of(side, event.occurredAt)));
  const hearing = ofSides.flatMap((ofSide) => subscriptionsHearing(event, ofSide));

  await queue.send(hearing.map((subscription) => firstDelivery(event, subscription)));
}
