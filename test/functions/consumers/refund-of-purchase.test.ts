import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processOrder } from '../../../functions/consumers/process-order/handler.ts';
import { processRefund } from '../../../functions/consumers/process-refund/handler.ts';
import { syncWithProgram } from '../../../functions/consumers/sync-with-program/handler.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { PlatformEvent } from '../../../shared/events/platform-event.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { purchaseKey } from '../../../shared/store/purchases.ts';
import {
  announcementOf,
  announcementsOf,
  anOrderBody,
  orderOf,
  postOrder,
  postRefund,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { reconcile } from '../../support/reconcile.ts';
import { createByToken, issueToken } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Refunds of orders that endpoints 1 and 2 know too, under the same id. */

let world: World;
let platform: Platform;
beforeAll(async () => {
  world = await makeWorld();
  ({ platform } = world);
});

// Whatever the tests did: balances, ledger, states and reversals fit together.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

/** Has the program confirm whatever is pending. */
async function settle(): Promise<void> {
  const created = (await outboxEvents(world)).filter(({ name }) => name === 'transaction_created');
  for (const event of created) await syncWithProgram(PlatformEvent.parse(event), platform);
}

/** Spends a token for a purchase; gives its transactions. */
async function purchased(orderId: string, what: { campaignId: number; amount: number }): Promise<number[]> {
  const answer = await createByToken(world, await issueToken(world, orderId, what));
  return answer.body.data.reward_transactions.map(({ id }: { id: number }) => id);
}

/** An order of $108, of which $100 earn. */
async function ordered(orderId: string, more: object = {}): Promise<Order> {
  const order = await orderOf(world, await postOrder(world, anOrderBody({ order_external_id: orderId, ...more })));
  await processOrder(await announcementOf(world, order), platform);
  return order;
}

/** Tells of a refund of an order and has it applied, the program's answers included. */
async function refund(order: Order, amount: number): Promise<void> {
  const { status } = await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount });
  expect(status).toBe(200);
  await apply(order);
  await settle();
}

async function apply({ uuid }: Order): Promise<void> {
  const event = (await announcementsOf(world, uuid, 'refund_received')).at(-1);
  if (!event) throw new Error('no refund was announced');
  await processRefund(event, platform);
}

async function books() {
  const [membership] = (await platform.members.find(world.demo.members[0]?.id ?? 0))?.memberships ?? [];
  if (!membership) throw new Error('the member has no account');
  const { availablePoints: available, totalEarnedPoints: earned, totalRedeemedPoints: redeemed } = membership;
  return { available, earned, redeemed };
}

const statesOf = (ids: readonly number[]) =>
  Promise.all(ids.map(async (id) => (await platform.transactions.find(id))?.state));

describe('an order that was rewarded by endpoints 1 and 2', () => {
  it.each([
    ['counts as rewarded by them', {}, 'PROCESSED'],
    ['earns nothing by itself', { transaction_subtotal: 0 }, 'REJECTED'],
  ])('and %s: is taken back what it earned there', async (_, more, state) => {
    const before = await books();
    const id = randomUUID();
    const transactions = await purchased(id, { campaignId: world.demo.campaigns.earn, amount: 108 });
    await settle();
    const order = await ordered(id, more);
    expect(await platform.orders.find(order.uuid)).toMatchObject({ state });
    expect(await books()).toMatchObject({ earned: before.earned + 324 });

    await refund(order, 10_800);

    expect(await books()).toEqual(before);
    expect(await statesOf(transactions)).toEqual(['REVERSED']);
  });
});

describe('an order that was paid with points', () => {
  it('gives them back in proportion, whether it earned anything or not', async () => {
    const before = await books();
    const id = randomUUID();
    const transactions = await purchased(id, { campaignId: world.demo.campaigns.redeem, amount: 8 });
    await settle();
    const order = await ordered(id);
    await settle();
    expect(await books()).toEqual({
      available: before.available - 800 + 300,
      earned: before.earned + 300,
      redeemed: before.redeemed + 800,
    });

    await refund(order, 5_400);
    expect(await books()).toMatchObject({ earned: before.earned + 150, redeemed: before.redeemed + 400 });
    expect(await statesOf(transactions)).toEqual(['COMPLETED']);

    await refund(order, 5_400);
    expect(await books()).toEqual(before);
    expect(await statesOf(transactions)).toEqual(['REVERSED']);
    expect(await platform.orders.find(order.uuid)).toMatchObject({ state: 'REFUNDED' });
  });

  it('waits while a token for it may still be spent', async () => {
    const before = await books();
    const id = randomUUID();
    const order = await ordered(id);
    await settle();
    const token = await issueToken(world, id, { campaignId: world.demo.campaigns.redeem, amount: 8 });
    await expect(refund(order, 10_800)).rejects.toThrow('may still be spent');
    expect(await platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED', refundsAppliedCents: 0 });

    await createByToken(world, token);
    await settle();
    await apply(order);
    await settle();

    expect(await books()).toEqual(before);
  });

  it('is not held up by a token that nobody spent', async () => {
    const id = randomUUID();
    const order = await ordered(id);
    await settle();
    const campaignId = world.demo.campaigns.redeem;
    await issueToken(world, id, { campaignId, amount: 8 });
    const key = purchaseKey({ merchantId: world.demo.merchant.id, campaignId, externalTransactionId: id });
    await platform.table.write({ kind: 'update', key, changes: { set: { expiresAt: '2020-01-01T00:00:00.000Z' } } });

    await refund(order, 10_800);

    expect(await platform.orders.find(order.uuid)).toMatchObject({ state: 'REFUNDED' });
  });

  it('gives back nothing that was paid for another order', async () => {
    const before = await books();
    const transactions = await purchased(randomUUID(), { campaignId: world.demo.campaigns.redeem, amount: 8 });
    await settle();
    await refund(await ordered(randomUUID()), 10_800);

    expect(await books()).toMatchObject({ redeemed: before.redeemed + 800 });
    expect(await statesOf(transactions)).toEqual(['COMPLETED']);
  });
});
