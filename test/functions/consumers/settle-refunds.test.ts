import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract as keyContract } from '../../../functions/base/get-transaction/contract.ts';
import { handler as getByKey } from '../../../functions/base/get-transaction/handler.ts';
import { handler } from '../../../functions/consumers/settle-purchase/handler.ts';
import { contract as bearerContract } from '../../../functions/reward/get-transaction/contract.ts';
import { handler as getByBearer } from '../../../functions/reward/get-transaction/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { orderView } from '../../../shared/http/views/order.ts';
import { launchCampaign } from '../../../shared/operations/campaign/write-campaign.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { redeeming } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import {
  announcementOf,
  announcementsOf,
  anOrderBody,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
  refundOrder,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readDocumentFile } from '../../support/provision.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper } from '../../support/shoppers.ts';
import { bearerOf } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let platform: Platform;
beforeAll(async () => {
  world = await makeWorld();
  ({ platform } = world);
});

// After all tests: balances, ledger, states, reversals and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const asItIs = async ({ uuid }: Order) => (await platform.orders.find(uuid)) as Order;
const received = async (more: object = {}) => orderOf(world, await postOrder(world, anOrderBody(more)));

/** An order of $108 that earned 300 points for $100. Its transaction is pending. */
async function rewarded(more: object = {}): Promise<Order> {
  const order = await received(more);
  await settleOrder(await announcementOf(world, order), platform);
  return asItIs(order);
}

/** An order like that of `rewarded()`, but the program has confirmed its transaction. */
async function earned(): Promise<Order> {
  const order = await rewarded();
  await sync((await transactionOf(order)).uuid);
  return order;
}

async function transactionOf(order: Order): Promise<RewardTransaction> {
  const found = await platform.transactions.find(order.transactionIds[0] ?? 0);
  if (!found) throw new Error('the order earned nothing');
  return found;
}

async function sync(uuid: string): Promise<void> {
  const created = (await outboxEvents(world)).find(
    ({ name, entityId }) => name === 'transaction_created' && entityId === uuid,
  );
  await syncWithProgram(PlatformEvent.parse(created), platform);
}

let refunds = 0;
/** Requests a refund and processes it. */
async function refund(order: Order, amount: number, deps = platform): Promise<void> {
  const { status } = await postRefund(world, order.uuid, { refund_external_id: `refund-${++refunds}`, amount });
  if (status !== 200) throw new Error(`the refund was refused with ${status}`);
  await process(order, deps);
}
const process = async (order: Order, deps = platform) => settleRefund(await refundEventOf(order), deps);
const refundEventOf = async ({ uuid }: Order) => {
  const event = (await announcementsOf(world, uuid, 'refund_received')).at(-1);
  if (!event) throw new Error('no refund was announced');
  return event;
};

/** Confirms and returns the reversals of an order's transaction, the oldest first. */
async function reversalsOf(order: Order): Promise<RewardTransaction[]> {
  const original = await transactionOf(order);
  const { transactions } = await readBooks(world.table);
  const ids = transactions.filter(({ reverses }) => reverses?.id === original.id).map(({ id, uuid }) => ({ id, uuid }));
  for (const { uuid } of ids) await sync(uuid);
  const found = await platform.transactions.findAll(ids.map(({ id }) => id));
  return found.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
}

async function books() {
  const id = world.demo.members[0]?.id ?? 0;
  const membership = (await platform.members.find(id))?.memberships[0];
  return {
    available: membership?.availablePoints,
    held: membership?.heldPoints,
    earned: membership?.totalEarnedPoints,
  };
}

const eventsOf = async (uuid: string) =>
  (await outboxEvents(world)).filter(({ entityId }) => entityId === uuid).map(({ name }) => name);

describe('a refund', () => {
  it('reverses its share of the points, and the last refund reverses the rest', async () => {
    const before = await books();
    const order = await earned();
    await refund(order, 5_400);
    expect(await reversalsOf(order)).toMatchObject([{ state: 'COMPLETED', points: 150, amountCents: 5_400 }]);
    expect(await transactionOf(order)).toMatchObject({ state: 'COMPLETED' });
    expect(await asItIs(order)).toMatchObject({ state: 'PROCESSED', refundsAppliedCents: 5_400 });

    await refund(order, 1);
    await refund(order, 5_399);
    await confirmAll(world);

    expect((await reversalsOf(order)).map(({ points }) => points)).toEqual([150, 1, 149]);
    const original = await transactionOf(order);
    expect(original).toMatchObject({ state: 'REVERSED', refunds: { points: 300, pendingReversals: 0 } });
    expect(await asItIs(order)).toMatchObject({ state: 'REFUNDED', refundsAppliedCents: 10_800 });
    expect(await books()).toEqual(before);
    expect((await eventsOf(original.uuid)).toSorted()).toEqual([
      // The last refund waited for the program's answer to the reversal before it.
      'purchase_changed',
      'transaction_created',
      'transaction_status_updated',
      'transaction_status_updated',
    ]);
  });

  it('is shown by endpoints 7 and 8 with negative amounts', async () => {
    const order = await earned();
    await refund(order, 2_700);
    const [reversal] = await reversalsOf(order);
    const original = await transactionOf(order);
    const id = String(reversal?.id);
    const common = {
      reward_amount: -75,
      transaction_amount: -27,
      transaction_type: 1,
      transaction_status: 3,
      reversed_transaction_id: original.id,
      external_order_id: order.externalOrderId,
    };

    const headers = { 'x-api-key': world.demo.partner.apiKey };
    const byKey = await call(getByKey, keyContract, { params: { id }, headers });
    expect(byKey.body.data.reward_transaction).toMatchObject(common);
    const bearer = { Authorization: `Bearer ${await bearerOf(world.demo.partner)}` };
    const byBearer = await call(getByBearer, bearerContract, {
      params: { reward_transaction_id: id },
      headers: bearer,
    });
    expect(byBearer.body.reward_transaction).toMatchObject({ ...common, rewards_redeemed: 0 });
    expect(byBearer.body.reward_transaction.campaign_eligibility_snapshot_id).toBe(original.snapshotId);
  });

  it('has the status APPLIED in the reply to a repeated request', async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    await settleOrder(await announcementOf(world, order), platform);
    await sync((await transactionOf(await asItIs(order))).uuid);
    const told = { refund_external_id: 'shown', amount: 10_800 };
    await postRefund(world, order.uuid, told);
    await process(order);

    expect((await postRefund(world, order.uuid, told)).body.data).toMatchObject({ status: 'applied' });
    expect(orderView(await asItIs(order))).toMatchObject({ order_id: order.uuid, status: 'refunded' });
  });

  it('is processed from the queue', async () => {
    const order = await earned();
    await postRefund(world, order.uuid, { refund_external_id: 'queued', amount: 10_800 });
    const record = { messageId: '1', body: JSON.stringify({ detail: await refundEventOf(order) }) };
    expect(await handler({ Records: [record] } as Parameters<typeof handler>[0])).toEqual({ batchItemFailures: [] });
    expect(await asItIs(order)).toMatchObject({ state: 'REFUNDED' });
  });

  it('fails for an unknown order, so that the queue retries the message', async () => {
    const order = await earned();
    await refund(order, 1);
    const event = await refundEventOf(order);
    await expect(settleRefund({ ...event, entityId: platform.nextUuid() }, platform)).rejects.toThrow('no order');
  });

  it('is announced only once when the order was already final', async () => {
    const order = await earned();
    await refund(order, 100);
    expect(await announcementsOf(world, order.uuid, 'refund_received')).toHaveLength(1);
  });
});

describe('a refund of an order that points paid', () => {
  it('returns the points even after the campaign has ended', async () => {
    const campaign = await runCampaign(world, { type: 'REDEEM', flows: [aFlowOf({ actions: [redeeming(10_000)] })] });
    const [shopper, name] = [await newShopper(world, 5_000), randomUUID()];
    await createBy(shopper, await ask(shopper, { campaignId: campaign.id, amount: 20, order: name }));
    const order = await processedOrder(world, shopper, name);
    await confirmAll(world);
    const ended = { status: 'ENDED', endsAt: order.createdAt, isDeleted: true } as const;
    await platform.table.transact(campaignWrites({ ...campaign, ...ended }));
    await refundOrder(world, order);

    const [account] = (await platform.members.find(shopper.id))?.memberships ?? [];
    expect(account?.availablePoints).toBe(5_000);
  });
});

describe('a refund of an unrewarded order', () => {
  it('makes the order REFUNDED only once the whole total is refunded', async () => {
    const order = await rewarded({ user: { merchant_external_id: 'cc-1002' } });
    await refund(order, 800);
    expect(await asItIs(order)).toMatchObject({ state: 'REJECTED' });
    await refund(order, 10_000);
    expect(await asItIs(order)).toMatchObject({ state: 'REFUNDED', rejection: 'user_not_linked' });
  });
});

describe('the member’s limit usage', () => {
  let campaignId: number;
  beforeAll(async () => {
    const found = await platform.campaigns.partnership(world.demo.partnership.uuid);
    if (!found) throw new Error('there is no partnership');
    const file = await readDocumentFile(new URL('../../../tools/admin/demo/earn.json', import.meta.url));
    const campaign = await launchCampaign(
      file,
      { partnership: found.partnership, as: { id: found.partnership.partnerId } },
      platform,
    );
    const limit = { ownerId: campaign.ownerId, kind: 'USER', bound: 'MAXIMUM', period: 'YEAR' } as const;
    const limits = [
      { ...limit, id: 90, unit: 'EVENTS', amount: 1 } as const,
      { ...limit, id: 91, unit: 'POINTS', amount: 250 } as const,
    ];
    const flows = campaign.flows.map((flow) => ({ ...flow, limits }));
    await platform.table.transact(campaignWrites({ ...campaign, flows }));
    campaignId = campaign.id;
  });

  const used = async () => {
    const member = await platform.members.find(world.demo.members[0]?.id ?? 0);
    return (member?.usage ?? []).filter((usage) => usage.campaignId === campaignId).map((usage) => usage.used);
  };
  const limited = async ({ transactionIds }: Order) => {
    const all = await Promise.all(transactionIds.map((id) => platform.transactions.find(id)));
    return all.find((transaction) => transaction?.campaignId === campaignId);
  };
  async function settleAll(): Promise<void> {
    const open = (await outboxEvents(world)).filter(({ name }) => name === 'transaction_created');
    for (const event of open) await syncWithProgram(PlatformEvent.parse(event), platform);
  }

  it('falls by the refunded points at each refund, and by one event only at the last', async () => {
    const first = await rewarded();
    await settleAll();
    expect(await limited(first)).toMatchObject({ points: 250, state: 'COMPLETED' });
    expect(await used()).toEqual([1, 250]);
    expect(await limited(await rewarded())).toBeUndefined();

    await refund(first, 5_400);
    await settleAll();
    expect(await used()).toEqual([1, 150]);
    await refund(first, 5_400);
    await settleAll();
    expect(await used()).toEqual([0, 0]);

    const next = await rewarded();
    await settleAll();
    expect(await limited(next)).toMatchObject({ points: 250 });
  });
});
