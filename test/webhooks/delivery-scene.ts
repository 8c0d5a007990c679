import { afterAll, afterEach, beforeAll } from 'vitest';
import { EndpointDue, type PlatformEvent } from '../../shared/contracts/events.ts';
import { type DeliverDeps, deliverWebhooks } from '../../shared/operations/webhook/deliver-webhooks.ts';
import { resumeEndpoint } from '../../shared/operations/webhook/resume-endpoint.ts';
import { Deliveries } from '../../shared/store/webhook/deliveries.ts';
import { RecentSubscriptions } from '../../shared/store/webhook/recent-subscriptions.ts';
import { Replays } from '../../shared/store/webhook/replays.ts';
import { Subscriptions } from '../../shared/store/webhook/subscriptions.ts';
import { type DeliveryMessage, firstAttempt } from '../../shared/webhooks/delivery.ts';
import { Pace } from '../../shared/webhooks/pace.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { type Answering, startReceiver } from '../support/receiver.ts';
import { silentLog } from '../support/silent-log.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { anEvent, aSubscription, newId } from './fixtures.ts';

/** The time at which scenes begin. */
export const start = Date.parse('2026-03-01T12:00:00.000Z');

/** The time at which the records of scenes expire: 30 days after the beginning. */
export const expirySeconds = Date.parse('2026-03-31T12:00:00.000Z') / 1000;

/** A reply that is not a success. */
export const failing =
  (status: number, headers = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end('no');

/** A message that a run has sent, with the time at which it arrives. */
type Sent =
  | { readonly to: 'slow'; readonly atMs: number; readonly message: DeliveryMessage }
  | { readonly to: 'endpoint' | 'schedule'; readonly atMs: number; readonly message: EndpointDue };

/** The parts of the deps that a scene may replace. */
type Over = Partial<Pick<DeliverDeps, 'deliveries' | 'now' | 'poster' | 'recent' | 'slowQueue'>>;

/** Delivery scenes for one test file: a real table, real endpoints, and queues and a clock that the test moves. */
export function deliveryScenes() {
  let table: TestTable;
  let organisationId = 5000;
  const closing: { close(): unknown }[] = [];
  const poster = createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now: () => new Date(start), deadlineMs: 400 });
  beforeAll(async () => {
    table = await makeTestTable();
  });
  afterEach(async () => {
    for (const one of closing.splice(0)) await one.close();
  });
  afterAll(() => poster.close());

  const receiving = async (answer?: Answering) => {
    const receiver = await startReceiver(answer);
    closing.push(receiver);
    return receiver;
  };

  /** An endpoint, its subscription, an event, and the runs that deliver it. */
  async function scene(answer?: Answering, parts: Partial<Subscription> = {}) {
    const receiver = await receiving(answer);
    organisationId += 1;
    const subscription = aSubscription({ organisationId, endpointUrl: `${receiver.url}/hooks`, ...parts });
    const subscriptions = new Subscriptions(table.client);
    await subscriptions.create(subscription);

    const time = { ms: start };
    const now = () => new Date(time.ms);
    const sent: Sent[] = [];
    const { log, lines } = silentLog();
    const deliveries = new Deliveries(table.client);
    const deps = {
      ...{ now, log, table: table.client, nextUuid: () => newId(now()), randomShare: () => 0.5 },
      ...{ subscriptions, deliveries, replays: new Replays(table.client), poster },
      recent: new RecentSubscriptions(table.client, { now }),
      pace: new Pace(),
      slowQueue: {
        send: async (messages: readonly DeliveryMessage[], delaySeconds = 0) => {
          sent.push(
            ...messages.map((one) => ({ to: 'slow' as const, atMs: time.ms + delaySeconds * 1000, message: one })),
          );
        },
      },
      endpointQueue: {
        send: async (messages: readonly EndpointDue[], delaySeconds = 0) => {
          const atMs = time.ms + delaySeconds * 1000;
          sent.push(...messages.map((one) => ({ to: 'endpoint' as const, atMs, message: one })));
        },
      },
      clock: {
        set: async ({ at, detail }: { readonly at: Date; readonly detail: unknown }) => {
          sent.push({ to: 'schedule', atMs: at.getTime(), message: EndpointDue.parse(detail) });
        },
      },
    };
    const newEvent = (parts: Partial<PlatformEvent> = {}) => {
      return anEvent({ id: newId(now()), occurredAt: now().toISOString(), merchantId: organisationId, ...parts });
    };
    const message = firstAttempt(newEvent(), subscription);

    const deliver = async (messages: readonly DeliveryMessage[], over: Over = {}, lane: 'fast' | 'slow' = 'slow') => {
      return deliverWebhooks(messages, { ...deps, lane, ...over });
    };
    /** Delivers the scene's message once. Rejects with the message's error. */
    const run = async (over: Over = {}, attempt = 1) => {
      const [error] = await deliver([{ ...message, attempt }], over);
      if (error !== undefined) throw error;
    };
    const resume = (due: EndpointDue, { poster: other = poster }: Over = {}) =>
      resumeEndpoint(due, { ...deps, poster: other });
    /** Handles messages in the order of their times, until a time. Returns how many it handled. */
    const until = async (atMs: number, over: Over = {}) => {
      let handled = 0;
      for (;;) {
        const next = sent.toSorted((one, other) => one.atMs - other.atMs).find((one) => one.atMs <= atMs);
        if (!next) break;
        sent.splice(sent.indexOf(next), 1);
        time.ms = Math.max(time.ms, next.atMs);
        if (next.to === 'slow') await deliver([next.message], over);
        else await resume(next.message, over);
        handled += 1;
      }
      time.ms = Math.max(time.ms, atMs);
      return handled;
    };
    const found = async () => (await subscriptions.find(subscription)) ?? subscription;
    return {
      ...{ receiver, subscription, subscriptions, deliveries, message, sent, lines, time, deps, newEvent },
      ...{ deliver, run, resume, until, found, health: async () => (await found()).health },
      entry: async (eventId = message.event.id) =>
        (await deliveries.find(subscription.subscriptionId, eventId))?.delivery,
      /** The message that arrives from the bus after the owner requested work for the endpoint. */
      announced: (): EndpointDue => ({
        ...{ id: newId(now()), name: 'endpoint_due', entityId: subscription.subscriptionId },
        ...{ organisationId: subscription.organisationId, occurredAt: now().toISOString() },
      }),
      parked: async () => (await deliveries.oldestParked(subscription.subscriptionId, { limit: 4000 })).items,
    };
  }

  /** All items of a subscription's deliveries, in the order of their keys. */
  const rows = async ({ subscriptionId }: Subscription) => {
    const shards = Array.from({ length: 8 }, (_, shard) =>
      table.client.query({ partition: `DELIVERY#${subscriptionId}#${shard}` }),
    );
    return (await Promise.all(shards)).flat().toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  };
  return { scene, receiving, rows, table: () => table };
}
