import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InternalEvent } from '../../../shared/contracts/events.ts';
import { authenticateTransaction } from '../../../shared/operations/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/create-transaction.ts';
import {
  announcementOf,
  announcementsOf,
  anOrderBody,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

/**
 * Orders, and refunds of orders, wait for a transaction token of the same order. A member may replace such a token
 * again and again by asking for other amounts.
 */

let world: World;
let shopper: Shopper;
let externalOrderId: string;
/** The time of the first token. */
let begin: Date;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
  externalOrderId = randomUUID();
  begin = world.platform.now();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

/** The platform, some minutes after the first token. */
const platformAfter = (minutes: number) =>
  withSources(world, { now: () => new Date(begin.getTime() + Math.round(minutes * 60_000)) });

/** Endpoint 1, for an order of the shopper. */
const askAt = (minutes: number, campaignId: number, amountCents: number) =>
  authenticateTransaction(
    {
      ...{ userId: shopper.id, merchantId: world.demo.merchant.id, partnerId: undefined, campaignId },
      ...{ externalTransactionId: externalOrderId, amountCents },
    },
    platformAfter(minutes),
  );

/** Endpoint 2. */
const spendAt = (minutes: number, { authenticationId: token }: { readonly authenticationId: string }) =>
  createTransaction({ token, userId: shopper.id, merchantId: world.demo.merchant.id }, platformAfter(minutes));

async function available(): Promise<number | undefined> {
  return (await world.platform.members.find(shopper.id))?.memberships[0]?.availablePoints;
}

describe('a refund that arrives while a token lives', () => {
  it('waits until this token expires, but not for renewed tokens', async () => {
    const { redeem } = world.demo.campaigns;
    const order = await processedOrder(world, shopper, externalOrderId);
    await confirmAll(world);
    await askAt(0, redeem, 2_000);
    await postRefund(world, order.uuid, { refund_external_id: 'all', amount: 10_800 });
    const [event] = await announcementsOf(world, order.uuid, 'refund_received');
    if (!event) throw new Error('no refund was announced');
    await askAt(4, redeem, 2_100);
    await askAt(9, redeem, 2_200);

    await expect(settleRefund(event, platformAfter(9.9))).rejects.toThrow('may still be spent');
    await settleRefund(event, platformAfter(10.1));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'REFUNDED' });
  });

  it('also reverses a later payment that was made with a renewed token', async () => {
    const { redeem } = world.demo.campaigns;
    const order = await processedOrder(world, shopper, externalOrderId);
    await confirmAll(world);
    await askAt(0, redeem, 2_000);
    await postRefund(world, order.uuid, { refund_external_id: 'all', amount: 10_800 });
    const [event] = await announcementsOf(world, order.uuid, 'refund_received');
    if (!event) throw new Error('no refund was announced');
    const renewed = await askAt(9, redeem, 2_100);
    await settleRefund(event, platformAfter(10.1));

    const { claim } = await spendAt(11, renewed);
    await confirmAll(world);

    expect(await available()).toBe(5_000 - 2_100);
    await applyAnnounced(claim.rewards[0]?.uuid ?? '');
    await confirmAll(world);
    expect(await available()).toBe(5_000);
  });
});

/** Applies the refunds that were announced for a transaction. */
async function applyAnnounced(uuid: string): Promise<void> {
  const events = await outboxEvents(world);
  const own = events.filter(({ name, entityId }) => name === 'refund_received' && entityId === uuid);
  expect(own).toHaveLength(1);
  await settleRefund(own[0] as InternalEvent, world.platform);
}

describe('an order that arrives while a token lives', () => {
  it('is rewarded after this token expires, even while a renewed token lives', async () => {
    const { earn } = world.demo.campaigns;
    await askAt(0, earn, 2_000);
    const body = anOrderBody({
      user: { merchant_external_id: shopper.externalId },
      order_external_id: externalOrderId,
    });
    const order = await orderOf(world, await postOrder(world, body));
    const renewed = await askAt(9, earn, 2_100);
    const event = await announcementOf(world, order);

    await expect(settleOrder(event, platformAfter(9.9))).rejects.toThrow('may still be spent');
    await settleOrder(event, platformAfter(10.1));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED' });
    await expect(spendAt(11, renewed)).rejects.toThrow('already been created');
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 200);
  });

  it('does not wait for a token issued after the expiry of this token', async () => {
    const { earn } = world.demo.campaigns;
    await askAt(0, earn, 2_000);
    const body = anOrderBody({
      user: { merchant_external_id: shopper.externalId },
      order_external_id: externalOrderId,
    });
    const order = await orderOf(world, await postOrder(world, body));
    await askAt(10.1, earn, 2_000);

    await settleOrder(await announcementOf(world, order), platformAfter(10.2));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED' });
  });
});
