import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as deliverHandler } from '../../functions/consumers/deliver-slow-webhook/handler.ts';
import { handler as fanOutHandler } from '../../functions/consumers/fan-out-event/handler.ts';
import { contract } from '../../functions/notification/subscribe-webhook/contract.ts';
import { handler as subscribeHandler } from '../../functions/notification/subscribe-webhook/handler.ts';
import type { PlatformEvent } from '../../shared/contracts/events.ts';
import { call } from '../support/call.ts';
import { type Answering, startReceiver } from '../support/receiver.ts';
import { makeTestQueue, sqsEvent, type TestQueue } from '../support/test-queue.ts';
import { makeWorld, type World } from '../support/world.ts';
import { anEvent } from './fixtures.ts';

let world: World;
let queue: TestQueue;
beforeAll(async () => {
  world = await makeWorld();
  queue = await makeTestQueue();
  const [role, bus] = ['arn:aws:iam::000000000000:role/clock', 'arn:aws:events:us-east-1:000000000000:event-bus/bus'];
  Object.assign(process.env, {
    ...{ QUEUE_URL_DELIVER: queue.url, QUEUE_URL_DELIVER_SLOW: queue.url, QUEUE_URL_ENDPOINT: queue.url },
    ...{ SCHEDULE_GROUP: 'group', SCHEDULE_ROLE_ARN: role, SCHEDULE_TARGET_ARN: bus, SCHEDULE_DEAD_LETTER_ARN: bus },
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
  });
});
afterAll(() => queue.stop());

/** Starts an endpoint and subscribes it, as the demonstration's merchant, to one event. */
async function subscribing(event_name: string, answer?: Answering) {
  const receiver = await startReceiver(answer);
  const { apiKey } = world.demo.merchant;
  const body = { endpoint: `${receiver.url}/hooks`, event_name };
  const { body: reply } = await call(subscribeHandler, contract, { headers: { 'x-api-key': apiKey }, body });
  return { receiver, secret: reply.data.standard_webhooks_secret as string };
}

const demoEvent = (name: PlatformEvent['name']) =>
  anEvent({ name, merchantId: world.demo.merchant.id, partnerId: world.demo.partner.id });

/** Runs the fan-out with messages in the form of the bus. */
const fanOut = (...events: PlatformEvent[]) =>
  fanOutHandler(sqsEvent(...events.map((event) => ({ 'detail-type': event.name, detail: event }))));

describe('the path of a webhook', () => {
  it('delivers an event to a new subscription', async () => {
    const { receiver, secret } = await subscribing('transaction_created');
    const event = demoEvent('transaction_created');
    expect(await fanOut(event)).toEqual({ batchItemFailures: [] });
    expect(await queue.consume(deliverHandler)).toBe(1);

    expect(receiver.received).toHaveLength(1);
    const [{ body, headers, path } = { body: '', headers: {}, path: '' }] = receiver.received;
    expect(path).toBe('/hooks');
    expect(JSON.parse(body)).toEqual({ event: event.name, entity: 3, entity_id: event.entityId });
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
    await receiver.close();
  });

  it('delivers an event once when the bus repeats it', async () => {
    const { receiver } = await subscribing('transaction_status_updated');
    const event = demoEvent('transaction_status_updated');
    for (const _ of [1, 2]) {
      await fanOut(event);
      await queue.consume(deliverHandler);
    }
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  it('sends a refused delivery again after a delay', async () => {
    let refusals = 1;
    const { receiver } = await subscribing('campaign_ended', (response) => {
      refusals -= 1;
      response.writeHead(refusals >= 0 ? 503 : 204).end();
    });
    await fanOut(demoEvent('campaign_ended'));
    expect(await queue.consume(deliverHandler)).toBe(1);
    expect(await queue.consume(deliverHandler)).toBe(0);

    const retriedAt = performance.now();
    await expect.poll(() => queue.consume(deliverHandler), { timeout: 10_000, interval: 200 }).toBe(1);
    expect(performance.now() - retriedAt).toBeGreaterThan(2500);
    const [first, second] = receiver.received;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await receiver.close();
  });

  it('delivers to one endpoint while another does not reply', async () => {
    const { receiver } = await subscribing('campaign_activated');
    const hanging = await startReceiver((response) => held.push(response));
    const held: { destroy(): unknown }[] = [];
    const body = { endpoint: `${hanging.url}/hooks`, event_name: 'campaign_activated' };
    await call(subscribeHandler, contract, { headers: { 'x-api-key': world.demo.partner.apiKey }, body });
    await fanOut(...Array.from({ length: 5 }, () => demoEvent('campaign_activated')));

    const running = queue.consume(deliverHandler);
    await expect.poll(() => [receiver.received.length, hanging.received.length], { timeout: 5000 }).toEqual([5, 2]);
    for (const response of held) response.destroy();
    expect(await running).toBe(10);
    await Promise.all([receiver.close(), hanging.close()]);
  });
});
