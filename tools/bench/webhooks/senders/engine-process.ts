import { randomUUID } from 'node:crypto';
import { EndpointDue, entityTypes, type PlatformEvent } from '../../../../shared/contracts/events.ts';
import { webhookMs } from '../../../../shared/contracts/limits.ts';
import { type DeliverDeps, deliverWebhooks } from '../../../../shared/operations/webhook/deliver-webhooks.ts';
import { type ResumeDeps, resumeEndpoint } from '../../../../shared/operations/webhook/resume-endpoint.ts';
import { type DeliveryMessage, firstAttempt } from '../../../../shared/webhooks/delivery.ts';
import { laneOf } from '../../../../shared/webhooks/endpoint-health.ts';
import { Pace } from '../../../../shared/webhooks/pace.ts';
import { createPoster } from '../../../../shared/webhooks/post.ts';
import { serve } from '../child-process.ts';
import { type BenchEvent, eventName, Topics } from '../event.ts';
import { EngineClock, Lane, MemoryDeliveries, MemorySubscriptions } from './engine-memory.ts';

// The delivery engine with tables, queues and schedules in memory.

const organisationId = 1;
const clock = new EngineClock();
const subscriptions = new MemorySubscriptions();
const deliveries = new MemoryDeliveries();
const topics = new Topics<string>();
const pace = new Pace();

const posterOf = (deadlineMs: number) =>
  createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now: clock.now, deadlineMs });
const posters = { fast: posterOf(webhookMs.attemptDeadline), slow: posterOf(webhookMs.slowAttemptDeadline) };

/**
 * Each queue has the settings of the platform's queue of the same name: the same number of batches at a time, and the
 * same number of messages in a batch.
 */
const fastQueue: Lane<DeliveryMessage> = new Lane({
  ...{ clock, places: 50, batchSize: 10 },
  handle: (batch) => deliver(batch, 'fast'),
});
const slowQueue: Lane<DeliveryMessage> = new Lane({
  ...{ clock, places: 100, batchSize: 2 },
  handle: (batch) => deliver(batch, 'slow'),
});
const endpointQueue: Lane<EndpointDue> = new Lane({
  ...{ clock, places: 100, batchSize: 1 },
  handle: ([due]) => (due ? resumeEndpoint(due, { ...common, poster: posters.slow }) : Promise.resolve()),
});

const common = {
  ...{ now: clock.now, nextUuid: () => randomUUID(), randomShare: Math.random, pace },
  log: { info: () => undefined, warn: console.error, error: console.error },
  ...{ subscriptions, recent: subscriptions, deliveries, slowQueue, endpointQueue },
  ...{ table: { pause: async () => undefined }, replays: { find: async () => undefined, save: async () => undefined } },
  clock: {
    set: async ({ at, detail }: { readonly at: Date; readonly detail: unknown }): Promise<void> =>
      clock.after(at.getTime() - clock.now().getTime(), () => void endpointQueue.send([EndpointDue.parse(detail)])),
  },
} satisfies Partial<DeliverDeps & ResumeDeps>;

async function deliver(batch: readonly DeliveryMessage[], lane: 'fast' | 'slow'): Promise<void> {
  const errors = await deliverWebhooks(batch, { ...common, lane, poster: posters[lane] });
  // If a message failed, a real queue would deliver it again; here, its error is only printed.
  for (const [position, error] of errors.entries()) {
    if (error !== undefined) console.error(batch[position]?.event.id, error);
  }
}

const api = {
  /** Adds an endpoint and returns its subscription id. */
  register: ({ url, topic, salt }: { url: string; topic: string; salt: string }): string => {
    const subscriptionId = randomUUID();
    const at = clock.now().toISOString();
    subscriptions.add({
      ...{ organisationId, subscriptionId, endpointUrl: url, salt, createdAt: at, updatedAt: at },
      readableEntityTypes: Object.values(entityTypes),
    });
    topics.add(topic, subscriptionId);
    return subscriptionId;
  },
  publish: async (events: readonly BenchEvent[]): Promise<void> => {
    const occurredAt = clock.now().toISOString();
    for (const { event, endpoint } of topics.fanOut(events)) {
      const subscription = subscriptions.get(endpoint);
      if (!subscription) continue;
      const { id } = event;
      const platformEvent: PlatformEvent = {
        ...{ id, name: eventName, entityId: id, occurredAt },
        ...{ merchantId: organisationId, partnerId: organisationId },
      };
      const queue = laneOf(subscription.health) === 'fast' ? fastQueue : slowQueue;
      await queue.send([firstAttempt(platformEvent, subscription)]);
    }
  },
  advance: (ms: number): void => clock.advance(ms),
};

/** The functions of the engine's process. */
export type EngineApi = typeof api;

serve(api);
