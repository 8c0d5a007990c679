import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { changePartnership } from '../../support/campaigns.ts';
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
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Under the policy only_pending, the time when the refund arrives counts, not the time when it is processed. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await changePartnership(world, { reversalPolicy: 'only_pending' });
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const asItIs = async ({ uuid }: Order) => (await world.platform.orders.find(uuid)) as Order;

/** Rewards an order. The program confirms the reward. */
async function complete(order: Order): Promise<void> {
  await settleOrder(await announcementOf(world, order), world.platform);
  const { transactionIds } = await asItIs(order);
  const transaction = await world.platform.transactions.find(transactionIds[0] ?? 0);
  const created = (await outboxEvents(world)).find(({ entityId }) => entityId === transaction?.uuid);
  await syncWithProgram(PlatformEvent.parse(created), world.platform);
}

async function refund(order: Order, amount: number): Promise<void> {
  const { status } = await postRefund(world, order.uuid, { refund_external_id: `of ${amount}`, amount });
  expect(status).toBe(200);
}

/** Processes the last refund event. Returns the points that all refunds reversed. */
async function takenOf(order: Order): Promise<number> {
  const [event] = (await announcementsOf(world, order.uuid, 'refund_received')).slice(-1);
  if (!event) throw new Error('no refund was announced');
  await settleRefund(event, world.platform);
  const settled = await asItIs(order);
  const [transaction] = await Promise.all(settled.transactionIds.map((id) => world.platform.transactions.find(id)));
  return transaction?.refunds?.points ?? 0;
}

describe('a refund under the policy only_pending', () => {
  it('reverses its share when it arrived before the reward was completed', async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    await refund(order, 10_800);
    await complete(order);
    expect(await takenOf(order)).toBe(300);
  });

  it('reverses nothing after the reward was completed, even if an earlier refund reversed points', async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    await refund(order, 5_400);
    await complete(order);
    await refund(order, 2_700);
    expect(await takenOf(order)).toBe(150);
  });

  it('reverses nothing when it arrived after the reward was completed', async () => {
    const order = await orderOf(world, await postOrder(world, anOrderBody()));
    await complete(order);
    await refund(order, 10_800);
    expect(await takenOf(order)).toBe(0);
  });
});
