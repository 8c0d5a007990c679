import type { Consumer } from '../contracts/consumer.ts';
import { webhookMs } from '../contracts/limits.ts';
import { once } from '../domain/memoize.ts';
import { deliverWebhooks, deliverWebhooksStores } from '../operations/webhook/deliver-webhooks.ts';
import type { DeliveryMessage } from '../webhooks/delivery.ts';
import { Pace } from '../webhooks/pace.ts';
import { createPoster } from '../webhooks/post.ts';
import { batchConsumer } from './consumer.ts';
import { openClock, openEndpointQueue, openSlowDeliverQueue } from './ports.ts';
import { runtime } from './runtime.ts';

/** The ports of a function that posts webhooks. `deadlineMs` is the deadline of one attempt. */
export function openDelivery(deadlineMs: number) {
  const { config, now } = runtime();
  return {
    slowQueue: openSlowDeliverQueue(config),
    endpointQueue: openEndpointQueue(config),
    clock: openClock(config),
    poster: createPoster({ policy: { httpHosts: config.webhookHttpHosts }, now, deadlineMs }),
    pace: new Pace(),
    randomShare: Math.random,
  };
}

/** Makes the Lambda that posts webhooks to fast or to slow endpoints, with one attempt for each message. */
export function deliveryConsumer(declaration: Consumer<typeof DeliveryMessage>, lane: 'fast' | 'slow') {
  const ports = once(() => openDelivery(lane === 'fast' ? webhookMs.attemptDeadline : webhookMs.slowAttemptDeadline));
  return batchConsumer(declaration, deliverWebhooksStores, (messages, deps) =>
    deliverWebhooks(messages, { ...deps, ...ports(), lane }),
  );
}
