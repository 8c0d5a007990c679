import { afterAll, afterEach, beforeAll } from 'vitest';
import { type DeliverDeps, deliverWebhook } from '../../shared/operations/webhook/deliver-webhooks.ts';
import { Deliveries } from '../../shared/store/webhook/deliveries.ts';
import { Subscriptions } from '../../shared/store/webhook/subscriptions.ts';
import { createPoster } from '../../shared/webhooks/post.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { type DeliveryMessage, firstAttempt } from '../../shared/webhooks/subscription.ts';
import { type Answering, startReceiver } from '../support/receiver.ts';
import { silentLog } from '../support/silent-log.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { anEvent, aSubscription } from './fixtures.ts';

const now = () => new Date('2026-03-01T12:00:00.000Z');

/** Expiry of the scenes' records: 30 days after their time. */
export const expirySeconds = Date.parse('2026-03-31T12:00:00.000Z') / 1000;

/** A reply that is not a success. */
export const failing =
  (status: number, headers = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end('no');

/** Delivery scenes for one test file: a real table, real endpoints, and a queue that records its messages. */
export function deliveryScenes() {
  let table: TestTable;
  let organisationId = 5000;
  const poster = createPoster({ policy: { httpHosts: ['127.0.0.1'] }, now, deadlineMs: 400 });
  const closing: { close(): unknown }[] = [];
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

  /** An endpoint, its subscription, an event, and the deps to deliver it. */
  async function scene(answer?: Answering) {
    const subscriptions = new Subscriptions(table.client);
    const deliveries = new Deliveries(table.client);
    const receiver = await receiving(answer);
    organisationId += 1;
    const subscription = aSubscription({ organisationId, endpointUrl: `${receiver.url}/hooks` });
    await subscriptions.create(subscription);

    const queued: { message: DeliveryMessage; delaySeconds: number }[] = [];
    const send = async (messages: readonly DeliveryMessage[], delaySeconds = 0) => {
      queued.push(...messages.map((message) => ({ message, delaySeconds })));
    };
    const message = firstAttempt(anEvent(), subscription);
    const { log, lines } = silentLog();
    const deps: DeliverDeps = { subscriptions, deliveries, queue: { send }, poster, now, log, randomShare: () => 0.5 };
    const run = (over: Partial<DeliverDeps> = {}, attempt = 1) =>
      deliverWebhook({ ...message, attempt }, { ...deps, ...over });
    return { receiver, subscription, subscriptions, deliveries, message, queued, lines, run };
  }

  const rows = ({ subscriptionId }: Subscription) => table.client.query({ partition: `DELIVERY#${subscriptionId}` });
  return { scene, receiving, rows };
}
