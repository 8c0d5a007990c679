import { describe, expect, it } from 'vitest';
import type { DeliverDeps } from '../../shared/operations/webhook/deliver-webhooks.ts';
import { deliveryScenes, failing } from './delivery-scene.ts';

const { scene } = deliveryScenes();

type Broken = Parameters<Awaited<ReturnType<typeof scene>>['run']>[0];

describe('deliverWebhooks() loses no message when it is killed', () => {
  const ended = () => Promise.reject(new Error('killed'));

  it.each<[string, (deps: Pick<DeliverDeps, 'deliveries' | 'recent'>) => Broken]>([
    ['before it reads the subscription', ({ recent }) => ({ recent: { note: recent.note, find: ended } })],
    ['before it posts', () => ({ poster: { post: ended } })],
    ['before it records', ({ deliveries }) => ({ deliveries: { ...bound(deliveries), record: ended } })],
    ['before it queues the next attempt', () => ({ slowQueue: { send: ended } })],
  ])('%s', async (_, broken) => {
    const { sent, deps, run, entry } = await scene(failing(500));
    await expect(run(broken(deps))).rejects.toThrow('killed');
    expect(sent).toEqual([]);

    await run();
    expect(sent).toHaveLength(1);
    expect(await entry()).toMatchObject({ state: 'retrying', attempts: 1 });
  });

  it('before it parks the delivery', async () => {
    const { deps, run, parked } = await scene(failing(503, { 'retry-after': '3600' }));
    await expect(run({ deliveries: { ...bound(deps.deliveries), record: ended } }, 5)).rejects.toThrow('killed');
    await run({}, 5);
    expect(await parked()).toHaveLength(1);
  });

  it('before it reads the log of a batch', async () => {
    const { deps, deliver, message } = await scene();
    const broken = { deliveries: { ...bound(deps.deliveries), finalAmong: ended } };
    await expect(deliver([message, message], broken)).rejects.toThrow('killed');
  });
});

/** The methods of the delivery log as plain functions, which a test can replace one by one. */
function bound(real: DeliverDeps['deliveries']): DeliverDeps['deliveries'] {
  return {
    finalAmong: (messages) => real.finalAmong(messages),
    record: (subscriptionId, ...records) => real.record(subscriptionId, ...records),
  };
}
