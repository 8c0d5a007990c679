import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Condition } from '../../../shared/domain/campaign/document/campaign.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { aFlowOf, changePartnership, runCampaign } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, confirmAll, orderOf, postOrder, refundOrder } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let shopper: Shopper;
/** The id of a campaign that gives one point per dollar of coffee. */
let coffee: number;
/** The id of a campaign that gives one point per dollar of purchases in the app. */
let inApp: number;

const running = async (condition: Condition) => {
  const conditionGroups = [{ id: 70, logic: 'ANY' as const, conditions: [condition] }];
  const { id } = await runCampaign(world, { flows: [aFlowOf({ conditionGroups })] });
  return id;
};

beforeAll(async () => {
  world = await makeWorld();
  shopper = await newShopper(world);
  coffee = await running({
    ...{ id: 71, ownerId: 2, attribute: 'ITEM', operator: 'IS_IN', name: 'CATEGORY', values: ['coffee'] },
  });
  inApp = await running({
    ...{ id: 71, ownerId: 2, attribute: 'CUSTOM', operator: 'IS_IN', name: 'channel', values: ['app'] },
  });
});

/** Two bags of coffee for $30.00, and a kettle for $70.00. */
const line_items = [
  { product_id: 'c-1', product_price: 1_500, quantity: 2, category: 'coffee', tags: ['sale'] },
  { product_id: 'k-1', product_price: 7_000, category: 'kettle' },
];

type Answer = Awaited<ReturnType<typeof ask>>;
const rewardOf = async (token: Answer, by = shopper) =>
  (await createBy(by, token)).body.data.reward_transactions.map(
    ({ reward_amount }: { reward_amount: number }) => reward_amount,
  );
const pointers = ({ body }: Answer) => body.errors.map(({ pointer }: { pointer: string }) => pointer);

/** The rewards of an order under one campaign. */
async function rewardsOfOrder(body: object, campaignId: number): Promise<readonly RewardTransaction[]> {
  const order = await orderOf(world, await postOrder(world, body));
  await settleOrder(await announcementOf(world, order), world.platform);
  const { transactionIds } = await orderOf(world, { body: { data: { order_id: order.uuid } } } as Answer);
  const found = await Promise.all(transactionIds.map((id) => world.platform.transactions.find(id)));
  return found.flatMap((one) => (one?.campaignId === campaignId ? [one] : []));
}

describe('endpoint 1 with items', () => {
  it('reserves the reward of the matching items', async () => {
    const token = await ask(shopper, { campaignId: coffee, amount: 100, details: { line_items } });

    expect(token.body.data.authentication_status).toBe(1);
    expect(await rewardOf(token)).toEqual([30]);
  });

  it('gives the reward that endpoint 11 gives for the same items', async () => {
    const { externalId: merchant_external_id } = shopper;
    const body = anOrderBody({ user: { merchant_external_id }, transaction_total: 10_000, line_items });

    expect(await rewardsOfOrder(body, coffee)).toMatchObject([{ points: 30 }]);
  });

  it.each([undefined, { line_items: [] }, { line_items: [{ category: 'tea', product_price: 100 }] }])(
    'returns authentication status 4 when no item matches (%j)',
    async (details) => {
      const token = await ask(shopper, { campaignId: coffee, amount: 100, ...(details && { details }) });
      expect(token.body.data.authentication_status).toBe(4);
    },
  );

  it('returns a new token only for different items', async () => {
    const order = randomUUID();
    const asked = (details: object) => ask(shopper, { campaignId: coffee, amount: 100, order, details });
    const first = await asked({ line_items });
    const same = await asked({ line_items });
    const [bag] = line_items;
    const other = await asked({ line_items: [{ ...bag, quantity: 1 }] });

    const ids = [first, same, other].map(({ body }) => body.data.authentication_id);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    expect((await createBy(shopper, first)).status).toBe(400);
    expect(await rewardOf(other)).toEqual([15]);
    expect((await asked({ line_items })).body.data.authentication_status).toBe(4);
  });

  it.each([
    ['/line_items/0/quantity', { line_items: [{ quantity: 0 }] }],
    ['/line_items/0/quantity', { line_items: [{ quantity: 1.5 }] }],
    ['/line_items/0/tags/0', { line_items: [{ tags: [''] }] }],
    ['/line_items/0/category', { line_items: [{ category: 7 }] }],
    ['/transaction_context', { transaction_context: { note: 'x'.repeat(5_000) } }],
    ['/transaction_context', { transaction_context: [] }],
  ])('returns 400 for a fault at %s', async (pointer, details) => {
    const answer = await ask(shopper, { campaignId: coffee, amount: 100, details });
    expect(answer.status).toBe(400);
    expect(pointers(answer)).toEqual([pointer]);
  });
});

describe('endpoint 1 with a context', () => {
  it('tests conditions on the context as endpoint 11 does', async () => {
    const transaction_context = { channel: 'app' };
    const token = await ask(shopper, { campaignId: inApp, amount: 50, details: { transaction_context } });
    const { externalId: merchant_external_id } = shopper;
    const body = anOrderBody({ user: { merchant_external_id }, transaction_context });

    expect(await rewardOf(token)).toEqual([50]);
    expect(await rewardsOfOrder(body, inApp)).toMatchObject([{ points: 100 }]);
  });
});

describe('a refund of an order with items', () => {
  it('reverses the reward in proportion', async () => {
    const buyer = await newShopper(world);
    const body = anOrderBody({
      user: { merchant_external_id: buyer.externalId },
      transaction_total: 10_000,
      line_items,
    });
    await rewardsOfOrder(body, coffee);
    const { order_external_id: externalOrderId } = body;
    const key = { merchantId: world.demo.merchant.id, externalOrderId };
    const order = await world.platform.orders.findByExternalId(key);
    if (!order) throw new Error('the order was not written');
    await confirmAll(world);
    const pointsLeft = async () =>
      (await world.platform.members.find(buyer.id))?.memberships[0]?.availablePoints ?? Number.NaN;
    const earned = await pointsLeft();

    await refundOrder(world, order, 5_000);
    const half = await pointsLeft();
    await refundOrder(world, order, 5_000);

    // The earn campaign of the demonstration rewards the order too. Half of each reward is left.
    expect(half * 2).toBe(earned);
    expect(await pointsLeft()).toBe(0);
    expect(await reconcile(world.table)).toEqual([]);
  });
});

describe('a payment with points that gives cashback', () => {
  it('loses its cashback and returns its points when it is refunded in parts', async () => {
    await changePartnership(world, { allowsCashback: true });
    const actions = [
      { id: 21, ownerId: 2, kind: 'REDEEM_POINTS', pointValueMicros: 10_000, increment: 500 } as const,
      { id: 22, ownerId: 2, kind: 'AWARD_CASHBACK', shareBp: 1_000 } as const,
    ];
    const { id: campaignId } = await runCampaign(world, { type: 'REDEEM', flows: [aFlowOf({ actions })] });
    const payer = await newShopper(world, 10_000);
    const account = async () => {
      const membership = (await world.platform.members.find(payer.id))?.memberships[0];
      return [membership?.availablePoints, membership?.heldPoints, membership?.cashbackCents];
    };
    expect((await ask(payer, { campaignId, amount: 12.34 })).body.data.authentication_status).toBe(4);
    const order = randomUUID();
    const token = await ask(payer, { campaignId, amount: 50, order });
    expect(await account()).toEqual([5_000, 5_000, 0]);

    const { body } = await createBy(payer, token);
    expect(body.data.reward_transactions).toMatchObject([
      { transaction_type: 2, reward_amount: 5_000, reward_unit: 'points', cashback_cents: 500 },
    ]);
    await confirmAll(world);
    expect(await account()).toEqual([5_000, 0, 500]);

    const reported = anOrderBody({
      ...{ user: { merchant_external_id: payer.externalId }, order_external_id: order },
      ...{ transaction_total: 5_000, transaction_subtotal: 5_000 },
    });
    await rewardsOfOrder(reported, campaignId);
    const key = { merchantId: world.demo.merchant.id, externalOrderId: order };
    const found = await world.platform.orders.findByExternalId(key);
    if (!found) throw new Error('the order was not written');
    await confirmAll(world);
    const before = await account();
    await refundOrder(world, found, 1_250);
    expect((await account())[2]).toBe(375);
    await refundOrder(world, found, 3_750);
    expect((await account())[2]).toBe(0);
    expect(before[2]).toBe(500);
    expect((await account())[0]).toBe(10_000);
    expect(await reconcile(world.table)).toEqual([]);
  });
});
