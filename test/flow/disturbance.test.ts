import { afterEach, describe, expect, it } from 'vitest';
import { cannot, useFlow } from './support/flow.ts';
import { newMember } from './support/members.ts';
import { account, authenticate, completed, create, ledger, type Wanted } from './support/purchase.ts';
import { quiet } from './support/queues.ts';
import { untilItWorks } from './support/retry.ts';
import { expectGenuine, heard, type Subscriber, subscribe } from './support/webhooks.ts';

/** Faults that are rare on AWS, injected constantly. */

const flow = useFlow();
let subscriber: Subscriber;
afterEach(async () => {
  await flow.inside?.clearFaults();
  await subscriber?.close();
});

/** Buys like a client that retries failures. Returns the transaction's UUID. */
async function persistentlyBuy(wanted: Wanted): Promise<string> {
  const asked = await untilItWorks(() => authenticate(flow, wanted));
  expect(asked.body.data).toMatchObject({ authentication_status: 1 });
  const token = asked.body.data.authentication_id;
  const created = await untilItWorks(() => create(flow, token, wanted));
  // After a lost reply, the repetition returns 409. The client then reads the transaction.
  expect([200, 409]).toContain(created.status);
  const { rewards } = (await flow.platform.claims.findByToken(token)) ?? {};
  return (await completed(flow, rewards?.[0]?.uuid ?? '')).uuid_id;
}

/** Expects every event of these transactions to be delivered with a valid signature. */
async function expectHeard(uuids: readonly string[]): Promise<void> {
  for (const id of uuids) {
    await heard(subscriber, id);
    for (const delivery of subscriber.about(id)) expectGenuine(delivery, subscriber);
    expect(new Set(subscriber.about(id).map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  }
}

describe.skipIf(cannot.lookInside)('purchases while the queues deliver late and twice', () => {
  it('move points once and lose no event', async () => {
    const member = await newMember(flow, 1000);
    subscriber = await subscribe(flow, flow.demo.merchant);
    await flow.inside.duplicateQueues();
    await flow.inside.delayQueues(200);
    const uuids = await Promise.all([
      persistentlyBuy({ what: 'redeem', amount: 4, member }),
      persistentlyBuy({ what: 'redeem', amount: 5, member }),
      persistentlyBuy({ what: 'earn', amount: 10, member }),
    ]);
    await expectHeard(uuids);
    await quiet(flow);

    const points = (await ledger(flow, member)).map((entry) => entry.points);
    expect(points.toSorted((a, b) => a - b)).toEqual([-500, -400, 20, 1000]);
    // A recorded delivery is not repeated: a duplicate is sent only while the first attempt is in flight.
    expect(subscriber.received.length).toBeLessThan(2 * 3 * uuids.length);
  });
});

describe.skipIf(cannot.lookInside)('purchases while the table rejects many calls', () => {
  it('move points once and lose no event', async () => {
    const member = await newMember(flow, 10_000);
    subscriber = await subscribe(flow, flow.demo.merchant);
    await flow.inside.injectFaults(
      { fault: 'TransactionConflict', probability: 0.2 },
      { fault: 'ProvisionedThroughputExceeded', probability: 0.1 },
      { fault: 'Throttling', probability: 0.1 },
    );
    const wanted = Array.from({ length: 10 }, (_, index): Wanted => {
      return { what: index % 2 ? 'earn' : 'redeem', amount: 10, member };
    });
    const uuids = await Promise.all(wanted.map(persistentlyBuy));
    expect(Math.min(...(await flow.inside.faultHits()))).toBeGreaterThan(0);
    await expectHeard(uuids);

    await flow.inside.clearFaults();
    await quiet(flow);
    expect(await account(flow, member)).toMatchObject({
      total_rewards: 10_000 + 5 * 20 - 5 * 1000,
      total_rewards_earned: 5 * 20,
      total_rewards_redeemed: 5 * 1000,
    });
    expect(await ledger(flow, member)).toHaveLength(11);
  });
});
