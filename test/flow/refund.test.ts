import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noTotals } from '../../shared/domain/ledger/totals.ts';
import type { Answer } from '../support/call.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { account, ledger, settleLimitMs, transaction } from './support/purchase.ts';
import { quiet } from './support/queues.ts';
import { expectGenuine, type Subscriber, subscribe } from './support/webhooks.ts';

/** One story, test after test: an external order earns, is refunded in parts, and leaves the balance unchanged. */

const flow = useFlow();
let before: Answer['body'];
let merchant: Subscriber;
let partner: Subscriber;
let orderId: string;

beforeAll(async () => {
  before = await account(flow);
  if (cannot.receiveWebhooks) return;
  merchant = await subscribe(flow, flow.demo.merchant);
  partner = await subscribe(flow, flow.demo.partner);
});
afterAll(() => Promise.all([merchant, partner].map((subscriber) => subscriber?.close())));

/** An order of $108. The eligible amount is $100. */
const order = () =>
  send('POST', `${flow.hosts.order}/orders/external`, {
    key: flow.demo.merchant.apiKey,
    json: {
      user: { user_id: flow.member.id },
      order_external_id: randomUUID(),
      transaction_total: 10_800,
      transaction_subtotal: 10_000,
    },
  });

const refund = (id: string, name: string, amount: number) =>
  send('POST', `${flow.hosts.order}/orders/external/${id}/refunds`, {
    key: flow.demo.merchant.apiKey,
    json: { refund_external_id: name, amount },
  });

/** Waits until the balance has grown by `more` points and no points are held. */
async function points(more: number): Promise<void> {
  const total = async () => (await account(flow)).total_rewards;
  await expect.poll(total, { timeout: settleLimitMs, interval: 50 }).toBe(before.total_rewards + more);
}

/** Waits until a refund is applied. A repeated refund request returns its state. */
async function applied(id: string, name: string, amount: number): Promise<void> {
  const status = async () => (await refund(id, name, amount)).body.data?.status;
  await expect.poll(status, { timeout: settleLimitMs, interval: 50 }).toBe('applied');
}

describe('an external order', () => {
  it('earns points', async () => {
    const { body } = await order();
    orderId = body.data.order_id;
    await points(300);
  });

  it('loses points in proportion to each partial refund', async () => {
    const first = await refund(orderId, 'half', 5_400);
    expect(first).toMatchObject({ status: 200, body: { code: 'ok', data: { order_id: orderId, amount: 5_400 } } });
    await applied(orderId, 'half', 5_400);
    await points(150);

    await refund(orderId, 'cent', 1);
    await applied(orderId, 'cent', 1);
    await points(149);
  });

  it('accepts a refund id once, and refuses refunds above the total', async () => {
    expect(await refund(orderId, 'half', 5_401)).toMatchObject({
      status: 409,
      body: { error: 'refund_already_exists' },
    });
    expect(await refund(orderId, 'more', 5_400)).toMatchObject({
      status: 409,
      body: { error: 'refund_exceeds_order' },
    });
  });

  it('has no effect on the balance after it was refunded completely', async () => {
    await refund(orderId, 'rest', 5_399);
    await applied(orderId, 'rest', 5_399);
    await points(0);
    const { total_rewards_earned, total_rewards_redeemed } = await account(flow);
    expect([total_rewards_earned, total_rewards_redeemed]).toEqual([
      before.total_rewards_earned,
      before.total_rewards_redeemed,
    ]);
  });

  it.skipIf(cannot.reachTable)('has ledger entries that sum to zero when fully refunded', async () => {
    const entries = (await ledger(flow)).filter(({ kind }) => kind !== 'OPENING');
    expect(entries.map(({ kind, points: moved }) => `${kind} ${moved}`)).toEqual([
      'EARN 300',
      'EARN_REVERSAL -150',
      'EARN_REVERSAL -1',
      'EARN_REVERSAL -149',
    ]);
    const uuid = flow.demo.partnership.uuid;
    const totals = async () => (await flow.platform.campaigns.partnership(uuid))?.totals;
    const limit = { timeout: settleLimitMs, interval: 100 };
    await expect.poll(totals, limit).toEqual({ ...noTotals, transactions: 1 });
  });
});

describe.skipIf(cannot.receiveWebhooks)('the webhooks of an order', () => {
  it('report the reward and each reversal once to both sides', async () => {
    const eventsOf = (subscriber: Subscriber) => subscriber.received.map(({ body }) => JSON.parse(body));
    const told = async (subscriber: Subscriber) =>
      new Set(eventsOf(subscriber).flatMap(({ entity, entity_id }) => (entity === 3 ? [entity_id] : [])));
    await expect.poll(async () => (await told(merchant)).size, { timeout: settleLimitMs }).toBe(4);
    await quiet(flow);
    // Only the merchant receives events about the order itself.
    const ofOrder = (subscriber: Subscriber) => eventsOf(subscriber).filter(({ entity }) => entity === 5);
    expect(ofOrder(merchant)).toMatchObject([{ event: 'order_processed' }]);
    expect(ofOrder(partner)).toEqual([]);

    const seen = [];
    for (const id of await told(merchant)) {
      const shown = await transaction(flow, id);
      for (const subscriber of [merchant, partner]) {
        const changes = shown.reward_amount > 0 ? 2 : 1;
        const updates = Array.from({ length: changes }, () => 'transaction_status_updated');
        expect(subscriber.namesAbout(id)).toEqual(['transaction_created', ...updates]);
        for (const delivery of subscriber.about(id)) expectGenuine(delivery, subscriber);
      }
      const { id: own, reward_amount: amount, transaction_status: status, reversed_transaction_id: of } = shown;
      seen.push({ own, amount, status, of });
    }
    const [original, ...reversals] = seen.toSorted((one, other) => other.amount - one.amount);
    expect(original).toMatchObject({ amount: 300, status: 5, of: null });
    expect(reversals).toMatchObject([
      { amount: -1, status: 3, of: original?.own },
      { amount: -149, status: 3, of: original?.own },
      { amount: -150, status: 3, of: original?.own },
    ]);
  });
});

describe('orders that are refunded immediately', () => {
  it('leave the balance unchanged', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const id: string = (await order()).body.data.order_id;
        await Promise.all([refund(id, 'one', 5_000), refund(id, 'other', 5_800)]);
        return id;
      }),
    );
    for (const id of ids) {
      await applied(id, 'one', 5_000);
      await applied(id, 'other', 5_800);
    }
    await points(0);
    if (cannot.reachTable) return;
    for (const id of ids) expect(await flow.platform.orders.find(id)).toMatchObject({ state: 'REFUNDED' });
    await ledger(flow);
  });
});
