import { describe, expect, it } from 'vitest';
import type { DeliverDeps } from '../../shared/operations/webhook/deliver-webhooks.ts';
import type { Deliveries } from '../../shared/store/webhook/deliveries.ts';
import { deliveryScenes, failing } from './delivery-scene.ts';

const { scene, rows } = deliveryScenes();

describe('deliverWebhook(), when its process ends', () => {
  const ended = () => Promise.reject(new Error('killed'));

  it.each<[string, (real: Deliveries) => Partial<DeliverDeps>]>([
    ['before it reads the subscription', () => ({ subscriptions: { find: ended } })],
    ['before it posts', () => ({ poster: { post: ended } })],
    ['before it records', (real) => ({ deliveries: { ...bound(real), recordFailed: ended } })],
    ['before it queues the next attempt', () => ({ queue: { send: ended } })],
  ])('%s, fails the message, and continues in the next run', async (_, broken) => {
    const { queued, deliveries, subscription, run } = await scene(failing(500));
    await expect(run(broken(deliveries))).rejects.toThrow('killed');
    expect(queued).toEqual([]);

    await run();
    expect(queued).toHaveLength(1);
    expect(await rows(subscription)).toHaveLength(1);
  });

  it('between the reply and its record, delivers the event twice with the same id', async () => {
    const { receiver, deliveries, message, run } = await scene();
    const broken = { deliveries: { ...bound(deliveries), recordFinalized: ended } };
    await expect(run(broken)).rejects.toThrow('killed');
    await run();

    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([message.event.id, message.event.id]);
    expect(await deliveries.findFinalized(message.subscription, message.event.id)).toMatchObject({
      state: 'delivered',
    });
  });

  it('before it parks the delivery, fails the message, and parks the delivery in the next run', async () => {
    const { deliveries, subscription, run } = await scene(failing(500));
    const broken = { deliveries: { ...bound(deliveries), park: ended } };
    await expect(run(broken, 5)).rejects.toThrow('killed');
    await run({}, 5);
    expect(await deliveries.parkedOf(subscription.subscriptionId)).toHaveLength(1);
  });
});

/** The methods of the delivery log as plain functions, which a test can replace one by one. */
function bound(real: Deliveries): DeliverDeps['deliveries'] {
  return {
    findFinalized: (...args) => real.findFinalized(...args),
    recordFinalized: (...args) => real.recordFinalized(...args),
    recordFailed: (...args) => real.recordFailed(...args),
    park: (...args) => real.park(...args),
  };
}
