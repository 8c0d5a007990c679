import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/settle-purchase/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { announcementOf, anOrderBody, confirmAll, orderOf, postOrder, refundOrder } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readDocumentFile } from '../../support/provision.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleBatch, settleOrder } from '../../support/settle.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let platform: Platform;
let demo: World['demo'];
beforeAll(async () => {
  world = await makeWorld();
  ({ platform, demo } = world);
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const received = async (more: object = {}) => orderOf(world, await postOrder(world, anOrderBody(more)));
const process = async (order: Order, deps = platform) => settleOrder(await announcementOf(world, order), deps);
const asItIs = async ({ uuid }: Order) => platform.orders.find(uuid);

async function processed(more: object = {}): Promise<Order | undefined> {
  const order = await received(more);
  await process(order);
  return asItIs(order);
}

async function transactionsOf(order: Order | undefined) {
  return Promise.all((order?.transactionIds ?? []).map((id) => platform.transactions.find(id)));
}

async function eventsOf(uuid: string | undefined): Promise<string[]> {
  return (await outboxEvents(world)).filter(({ entityId }) => entityId === uuid).map(({ name }) => name);
}

describe('an order that earns', () => {
  it('is PROCESSED with pending points, and both sides receive an event', async () => {
    const order = await processed({ transaction_discount: 1_000 });

    expect(order).toMatchObject({ state: 'PROCESSED', transactionIds: [expect.any(Number)] });
    const [transaction] = await transactionsOf(order);
    // Two points per dollar of the eligible $90, times 1.5 for gold.
    expect(transaction).toMatchObject({
      state: 'PENDING',
      type: 'EARN',
      points: 270,
      amountCents: 10_800,
      externalTransactionId: order?.externalOrderId,
      campaignId: demo.campaigns.earn,
      userId: demo.members[0]?.id,
    });
    expect(await platform.transactions.findSnapshot(transaction?.snapshotId ?? 0)).toMatchObject({
      facts: { amountCents: 9_000, statusTierId: 2, occurredAt: order?.createdAt },
    });
    expect(await eventsOf(transaction?.uuid)).toEqual(['transaction_created']);
  });

  it('earns on its total when the subtotal is higher', async () => {
    const order = await processed({ transaction_total: 1_000, transaction_subtotal: 1_000_000_000 });

    const [transaction] = await transactionsOf(order);
    expect(transaction).toMatchObject({ points: 30, amountCents: 1_000 });
  });

  it('has a reward whose points the program adds to the balance', async () => {
    const before = await adasBooks();
    const [transaction] = await transactionsOf(await processed());
    const created = (await outboxEvents(world)).find(({ entityId }) => entityId === transaction?.uuid);

    await syncWithProgram(PlatformEvent.parse(created), platform);

    expect(await platform.transactions.find(transaction?.id ?? 0)).toMatchObject({ state: 'COMPLETED' });
    const after = await adasBooks();
    expect(after).toEqual({
      available: before.available + 300,
      earned: before.earned + 300,
      ledger: before.ledger + 300,
    });
  });

  it('is processed from the queue', async () => {
    const order = await received();
    const record = { messageId: '1', body: JSON.stringify({ detail: await announcementOf(world, order) }) };

    const reply = await handler({ Records: [record] } as Parameters<typeof handler>[0]);

    expect(reply).toEqual({ batchItemFailures: [] });
    expect(await asItIs(order)).toMatchObject({ state: 'PROCESSED' });
  });
});

async function adasBooks() {
  const id = demo.members[0]?.id ?? 0;
  const membership = (await platform.members.find(id))?.memberships[0];
  const entries = await platform.ledger.entriesOf(id, demo.partner.id);
  return {
    available: membership?.availablePoints ?? 0,
    earned: membership?.totalEarnedPoints ?? 0,
    ledger: entries.reduce((sum, { points }) => sum + points, 0),
  };
}

describe('an order that earns nothing', () => {
  it.each([
    ['user_not_linked', { user: { merchant_external_id: 'cc-1002' } }],
    ['worth_nothing', { transaction_subtotal: 30 }],
    ['worth_nothing', { transaction_discount: 10_000 }],
  ])('is rejected with %s when its body contains %j', async (rejection, more) => {
    expect(await processed(more)).toMatchObject({ state: 'REJECTED', rejection, transactionIds: [] });
  });

  it('is rejected with no_running_campaign when the merchant has no campaign', async () => {
    const order = await received();
    await process(order, withoutCampaigns());
    expect(await asItIs(order)).toMatchObject({ state: 'REJECTED', rejection: 'no_running_campaign' });
  });
});

/** A platform on which the merchant has no campaigns. */
function withoutCampaigns(): Platform {
  const campaigns = { offeredWithTokens: async () => ({ campaigns: [], partnerships: [] }) };
  return { ...platform, campaigns: campaigns as unknown as Platform['campaigns'] };
}

describe('the event about a finalized order', () => {
  /** The events that only the merchant receives about an order. The item of the order carries these events. */
  const announced = async (uuid: string | undefined) =>
    (await outboxEvents(world)).filter((event) => event.entityId === uuid && event.name !== 'order_received');

  it.each([
    ['order_processed', {}],
    ['order_rejected', { transaction_subtotal: 30 }],
  ])('is %s and goes only to the merchant when the order contains %j', async (name, more) => {
    const order = await processed(more);

    const event = { name, entityId: order?.uuid, merchantId: demo.merchant.id, partnerId: demo.merchant.id };
    expect(await announced(order?.uuid)).toEqual([expect.objectContaining(event)]);
  });

  it('is written once for each of several orders', async () => {
    const together = [await received(), await received(), await received({ transaction_subtotal: 30 })];
    const events = await Promise.all(together.map((order) => announcementOf(world, order)));
    expect(await settleBatch(events, platform)).toEqual([undefined, undefined, undefined]);

    const names = await Promise.all(together.map(async ({ uuid }) => (await announced(uuid)).map(({ name }) => name)));
    expect(names).toEqual([['order_processed'], ['order_processed'], ['order_rejected']]);
  });

  it('is not written again by a refund', async () => {
    const order = await processed();
    if (!order) throw new Error('there is no order');
    const before = await announced(order.uuid);
    await confirmAll(world);
    await refundOrder(world, order);

    expect(await asItIs(order)).toMatchObject({ state: 'REFUNDED' });
    const after = (await announced(order.uuid)).filter(({ name }) => name !== 'refund_received');
    expect(after).toEqual(before);
  });
});

describe('a repeated order message', () => {
  it('changes nothing when the order is already final', async () => {
    const order = await processed();
    if (!order) throw new Error('there is no order');
    await process(order);
    await process(order, withoutCampaigns());
    expect(await asItIs(order)).toEqual(order);
  });

  it('fails for an unknown order, so the queue retries it', async () => {
    const event = await announcementOf(world, await received());
    await expect(settleOrder({ ...event, entityId: platform.nextUuid() }, platform)).rejects.toThrow('no order');
  });
});

describe('an order under two campaigns', () => {
  beforeAll(async () => {
    const found = await platform.campaigns.partnership(demo.partnership.uuid);
    if (!found) throw new Error('there is no partnership');
    const file = await readDocumentFile(new URL('../../../tools/admin/demo/earn.json', import.meta.url));
    await launchCampaign(file, { partnership: found.partnership, as: { id: found.partnership.partnerId } }, platform);
  });

  it('is rewarded by each campaign', async () => {
    const transactions = await transactionsOf(await processed());
    expect(transactions).toMatchObject([{ points: 300 }, { points: 300 }]);
    expect(new Set(transactions.map((transaction) => transaction?.campaignId)).size).toBe(2);
  });
});
