import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { redeeming } from '../../domain/fixtures.ts';
import type { Answer } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { countStream } from '../../support/count-stream.ts';
import {
  announcementOf,
  anOrderBody,
  applyRefunds,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
  refundOrder,
} from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** A refund of an order also returns the points that were paid for it with tokens of endpoint 1. */

let world: World;
/** Two points per dollar; a point is worth a cent. */
let [earnId, redeemId] = [0, 0];
beforeAll(async () => {
  world = await makeWorld();
  ({ earn: earnId, redeem: redeemId } = world.demo.campaigns);
});

let shopper: Shopper;
let externalOrderId: string;
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
  externalOrderId = randomUUID();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

const askFor = (campaignId: number, amount: number) => ask(shopper, { campaignId, amount, order: externalOrderId });
const spend = async (campaignId: number, amount: number): Promise<Answer> =>
  createBy(shopper, await askFor(campaignId, amount));

const processed = () => processedOrder(world, shopper, externalOrderId);
const settle = () => confirmAll(world);
const handleRefunds = (order: Order) => applyRefunds(world, order);
const refund = (order: Order, amount: number) => refundOrder(world, order, amount);

const availableOf = async ({ id }: Shopper) =>
  (await world.platform.members.find(id))?.memberships.map(({ availablePoints }) => availablePoints);
const stateOf = async ({ uuid }: Order) => (await world.platform.orders.find(uuid))?.state;

describe('a refund of an order', () => {
  it('returns paid points, and reverses the reward for the money, in proportion to its amount', async () => {
    await spend(redeemId, 20);
    const order = await processed();
    await settle();
    // Points paid $20 of $108, so $81.48 of the eligible $100 earn.
    expect(await availableOf(shopper)).toEqual([5_000 - 2_000 + 162]);

    await refund(order, 5_400);
    expect(await availableOf(shopper)).toEqual([5_000 - 1_000 + 81]);
    await refund(order, 5_400);
    expect(await availableOf(shopper)).toEqual([5_000]);
    expect(await stateOf(order)).toBe('REFUNDED');
  });

  it('returns points that the member paid after the order’s reward', async () => {
    const order = await processed();
    await spend(redeemId, 20);
    await settle();
    await refund(order, 10_800);
    expect(await availableOf(shopper)).toEqual([5_000]);
  });

  it('returns points that the member paid after an earlier refund', async () => {
    const order = await processed();
    await settle();
    await refund(order, 5_400);
    await spend(redeemId, 20);
    await settle();
    await refund(order, 5_400);
    await settle();
    expect(await availableOf(shopper)).toEqual([5_000]);
    expect(await stateOf(order)).toBe('REFUNDED');
  });

  it('returns paid points even after the campaign has ended', async () => {
    const campaign = await runCampaign(world, { type: 'REDEEM', flows: [aFlowOf({ actions: [redeeming(10_000)] })] });
    await spend(campaign.id, 20);
    const order = await processed();
    await settle();
    const over: Campaign = { ...campaign, status: 'ENDED', endsAt: order.createdAt, isDeleted: true };
    await world.platform.table.transact(campaignWrites(over));
    await refund(order, 10_800);
    expect(await availableOf(shopper)).toEqual([5_000]);
  });

  it('waits until the program confirms the redemption', async () => {
    await spend(redeemId, 20);
    const order = await processed();
    await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 10_800 });
    await handleRefunds(order);
    expect(await stateOf(order)).toBe('PROCESSED');
    await settle();
    expect(await availableOf(shopper)).toEqual([5_000]);
    expect(await stateOf(order)).toBe('REFUNDED');
  });

  it('does not wait for a live token, and returns the points that the token pays later', async () => {
    const order = await processed();
    const token = await askFor(redeemId, 20);
    await settle();
    await refund(order, 10_800);
    expect(await stateOf(order)).toBe('REFUNDED');

    await createBy(shopper, token);
    await settle();
    expect(await availableOf(shopper)).toEqual([5_000]);
  });
});

it('a refund reverses a token’s reward when the order earned nothing', async () => {
  const { externalId } = shopper;
  const body = {
    user: { merchant_external_id: externalId },
    order_external_id: externalOrderId,
    transaction_subtotal: 0,
  };
  const order = await orderOf(world, await postOrder(world, anOrderBody(body)));
  await settleOrder(await announcementOf(world, order), world.platform);
  expect(await stateOf(order)).toBe('REJECTED');
  await spend(earnId, 100);
  await settle();
  expect(await availableOf(shopper)).toEqual([5_200]);

  await refund(order, 10_800);
  await countStream(world);
  await settle();
  expect(await availableOf(shopper)).toEqual([5_000]);
});
