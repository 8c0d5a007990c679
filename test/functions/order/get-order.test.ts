import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/order/get-order/contract.ts';
import { handler } from '../../../functions/order/get-order/handler.ts';
import { permissions } from '../../../shared/contracts/contract.ts';
import { call } from '../../support/call.ts';
import {
  anOrderBody,
  applyRefunds,
  confirmAll,
  orderOf,
  postOrder,
  postRefund,
  processedOrder,
  refundOrder,
} from '../../support/order-story.ts';
import { narrowKey } from '../../support/provision.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let shopper: Shopper;
beforeAll(async () => {
  world = await makeWorld();
  shopper = await newShopper(world, 10_000);
});

const get = (id: string, key = world.demo.merchant.apiKey) =>
  call(handler, contract, { params: { order_id: id }, headers: { 'x-api-key': key } });

describe('the details of an external order', () => {
  it('are found by UUID and by the merchant’s order id', async () => {
    const order = await processedOrder(world, shopper);
    const answer = await get(order.externalOrderId);

    expect(answer).toMatchObject({ status: 200, body: { code: 'ok' } });
    expect(answer.body.data).toMatchObject({
      ...{ order_id: order.uuid, external_order_id: order.externalOrderId, status: 'processed' },
      ...{ total_amount: 10_800, eligible_amount: 10_000, refunded_amount: 0, reason: null, message: null },
      refunds: [],
    });
    expect(answer.body.data.rewards).toMatchObject([
      { campaign_id: world.demo.campaigns.earn, reward_amount: 200, transaction_status: 2 },
    ]);
    expect((await get(order.uuid.toUpperCase())).body).toEqual(answer.body);
  });

  it.each(['2026/0042', 'order 42 ü', '#42?x=%2F', '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e06'])(
    'are found by the merchant’s order id %s',
    async (externalOrderId) => {
      await processedOrder(world, shopper, externalOrderId);
      expect((await get(externalOrderId)).body.data.external_order_id).toBe(externalOrderId);
    },
  );

  it('contain the state pending until the order is processed', async () => {
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId } });
    const order = await orderOf(world, await postOrder(world, body));

    expect((await get(order.externalOrderId)).body.data).toMatchObject({
      status: 'pending',
      rewards: [],
      reason: null,
    });
  });

  it('contain the reason why the order earned nothing', async () => {
    const cheap = { transaction_total: 20, transaction_subtotal: 20 };
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, ...cheap });
    const order = await orderOf(world, await postOrder(world, body));
    await settleOrder({ entityId: order.uuid }, world.platform);

    expect((await get(order.externalOrderId)).body.data).toMatchObject({
      ...{ status: 'rejected', reason: 'worth_nothing', rewards: [] },
      message: 'The reward is less than one point or cent',
    });
  });

  it('contain refunds, and the reversed rewards', async () => {
    const order = await processedOrder(world, shopper);
    await confirmAll(world);
    await refundOrder(world, order);
    const { data } = (await get(order.externalOrderId)).body;

    expect(data).toMatchObject({ status: 'refunded', refunded_amount: 10_800 });
    expect(data.refunds).toMatchObject([{ order_id: order.uuid, amount: 10_800, status: 'applied' }]);
    expect(data.rewards).toMatchObject([{ transaction_status: 5, reward_amount: 200 }]);
  });

  it('contain the points that a token paid', async () => {
    const externalOrderId = randomUUID();
    const redeemed = await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 5, order: externalOrderId });
    await createBy(shopper, redeemed);
    await processedOrder(world, shopper, externalOrderId);
    const { rewards } = (await get(externalOrderId)).body.data;

    expect(rewards.map((one: { transaction_type: number; reward_amount: number }) => one.transaction_type)).toEqual([
      2, 1,
    ]);
    expect(rewards[0]).toMatchObject({ reward_amount: 500, external_order_id: externalOrderId });
  });

  it('contain a refund that is not applied yet', async () => {
    const order = await processedOrder(world, shopper);
    await postRefund(world, order.uuid, { refund_external_id: 'part', amount: 100 });
    expect((await get(order.uuid)).body.data.refunds).toMatchObject([{ status: 'pending', amount: 100 }]);
    await applyRefunds(world, order);
  });
});

describe('endpoint get-order, reply 404', () => {
  it('is the same for another merchant’s order and an unknown id', async () => {
    const order = await processedOrder(world, shopper);
    const replyTo = async (id: string) => {
      const { status, body } = await get(id, world.demo.outsider.apiKey);
      const { request_id: _id, ...rest } = body;
      return { status, ...rest };
    };
    const absent = await replyTo('no-such-order');

    expect(absent).toMatchObject({ status: 404, error: 'order_does_not_exist' });
    expect(await replyTo(order.uuid)).toEqual(absent);
    expect(await replyTo(order.externalOrderId)).toEqual(absent);
  });

  it('is returned to the partner whose points were earned', async () => {
    const order = await processedOrder(world, shopper);
    expect((await get(order.uuid, world.demo.partner.apiKey)).status).toBe(404);
  });
});

describe('a key of the merchant', () => {
  const without = (missing: (typeof permissions)[number]) =>
    narrowKey(
      world.platform,
      world.demo.merchant.id,
      permissions.filter((one) => one !== missing),
    );

  it('gets null as an order’s rewards when the key lacks transactions:read', async () => {
    const order = await processedOrder(world, shopper);
    const { data } = (await get(order.uuid, await without('transactions:read'))).body;
    expect(data).toMatchObject({ status: 'processed', rewards: null });
  });

  it('gets 401 unauthorized_request when the key lacks orders:read', async () => {
    const order = await processedOrder(world, shopper);
    const answer = await get(order.uuid, await without('orders:read'));
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized_request' } });
  });
});
