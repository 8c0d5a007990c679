import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { settleLimitMs } from './support/purchase.ts';

/** An endpoint's owner can test, inspect and repair it over HTTP. Each function has only the rights of its role. */

const flow = useFlow();
let receiver: Receiver;
let subscription: string;
beforeAll(async () => {
  receiver = await startReceiver();
  const json = { endpoint: `${receiver.url}/hooks` };
  const { apiKey: key } = flow.demo.outsider;
  const { body } = await send('POST', `${flow.hosts.notification}/webhooks/subscribe`, { key, json });
  subscription = body.data.subscription_id;
});
afterAll(() => receiver.close());

/** Sends a request about the subscription. The request has to succeed. */
async function ask(method: 'GET' | 'POST', path = '', json?: object) {
  const url = `${flow.hosts.notification}/webhooks/${subscription}${path}`;
  const { status, body } = await send(method, url, { key: flow.demo.outsider.apiKey, ...(json && { json }) });
  expect({ path, status, body }).toMatchObject({ status: 200 });
  return body.data;
}

/** Waits until the endpoint has received an event exactly `times` times. */
const received = (eventId: string, times: number) =>
  expect
    .poll(() => receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId).length, {
      timeout: settleLimitMs,
      interval: 50,
    })
    .toBe(times);

describe.skipIf(cannot.reachTable)('the API of webhooks', () => {
  it('sends, lists and replays a test event', async () => {
    const { delivery } = await ask('POST', '/test');
    const { event_id: eventId } = delivery;
    await received(eventId, 1);
    const stateOf = async () => (await ask('GET', `/deliveries/${eventId}`)).delivery.state;
    await expect.poll(stateOf, { timeout: settleLimitMs }).toBe('delivered');
    const { deliveries } = await ask('GET', '/deliveries?event_name=webhook.test');
    expect(deliveries).toMatchObject([{ event_id: eventId, state: 'delivered', response_status: 200 }]);

    await ask('POST', `/deliveries/${eventId}/replay`);
    await received(eventId, 2);
    await expect.poll(stateOf, { timeout: settleLimitMs }).toBe('delivered');

    const since = { since: '2026-01-01T00:00:00Z', state: 'all' };
    expect((await ask('POST', '/replays', { ...since, dry_run: true })).estimate.deliveries).toBe(1);
    const { replay } = await ask('POST', '/replays', since);
    await received(eventId, 3);
    const progress = async () => (await ask('GET', `/replays/${replay.replay_id}`)).replay;
    await expect.poll(progress, { timeout: settleLimitMs }).toMatchObject({ state: 'done', replayed_deliveries: 1 });
    const healthOf = async () => (await ask('GET')).health;
    await expect.poll(healthOf, { timeout: settleLimitMs }).toMatchObject({ state: 'closed', success_rate: 1 });
  });

  it('replaces the salt, and enables the endpoint', async () => {
    const { salt, activates_at: activatesAt } = await ask('POST', '/salt/rotate');
    expect((await ask('GET')).subscription.salt_activates_at).toBe(activatesAt);
    expect(JSON.stringify(await ask('POST', '/salt/commit'))).not.toContain(salt);
    expect((await ask('POST', '/enable')).subscription.state).toBe('closed');
  });
});
