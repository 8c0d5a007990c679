import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { createByToken, issueToken } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** An order is processed after endpoint 1 issued a token for it, and the token used all or most of a member's limit. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  // The campaigns of the demonstration would reward the orders too.
  for (const { campaign } of found?.campaigns ?? []) {
    await world.platform.table.transact(campaignWrites({ ...campaign, status: 'PAUSED' }));
  }
});

// After all tests: balances, ledger, limits, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

async function playing(limit: Parameters<typeof aUserLimit>[0]) {
  const campaign = await runCampaign(world, { flows: [aFlowOf({ limits: [aUserLimit(limit)] })] });
  const order = await orderOf(world, await postOrder(world, anOrderBody()));
  const token = await issueToken(world, order.externalOrderId, { campaignId: campaign.id });
  return { campaign, order, token };
}

const process = async (order: Order) => settleOrder(await announcementOf(world, order), world.platform);
const asItIs = ({ uuid }: Order) => world.platform.orders.find(uuid);

async function pause(id: number) {
  const found = await world.platform.campaigns.partnership(world.demo.partnership.uuid);
  const campaign = found?.campaigns.find((one) => one.campaign.id === id)?.campaign;
  if (campaign) await world.platform.table.transact(campaignWrites({ ...campaign, status: 'PAUSED' }));
}

async function letExpire(campaign: Campaign, { externalOrderId }: Order) {
  const key = claimKey({
    merchantId: world.demo.merchant.id,
    campaignId: campaign.id,
    externalTransactionId: externalOrderId,
  });
  const set = { expiresAt: '2020-01-01T00:00:00.000Z' };
  await world.platform.table.write({ kind: 'update', key, changes: { set } });
}

async function pointsOf(order: Order | undefined) {
  const found = await Promise.all((order?.transactionIds ?? []).map((id) => world.platform.transactions.find(id)));
  return found.map((transaction) => transaction?.points);
}

it.each([
  ['a limit of events', { amount: 1 }],
  ['a whole limit of points', { unit: 'POINTS', amount: 100 }],
  ['most of a limit of points', { unit: 'POINTS', amount: 150 }],
] as const)(
  'an order whose own token used %s waits until the token is spent, and takes over the token’s reward',
  async (_, limit) => {
    const { campaign, order, token } = await playing(limit);
    await expect(process(order)).rejects.toThrow('may still be spent');
    expect(await asItIs(order)).toMatchObject({ state: 'PENDING' });

    const [created] = (await createByToken(world, token)).body.data.reward_transactions;
    await process(order);
    await pause(campaign.id);

    expect(await asItIs(order)).toMatchObject({ state: 'PROCESSED', transactionIds: [created.id] });
  },
);

it.each([
  ['a limit of events', { amount: 1 }, 100],
  ['a whole limit of points', { unit: 'POINTS', amount: 80 }, 80],
  ['most of a limit of points', { unit: 'POINTS', amount: 150 }, 100],
] as const)(
  'an order whose own token used %s is rewarded in full after the token expired',
  async (_, limit, points) => {
    const { campaign, order } = await playing(limit);
    await letExpire(campaign, order);

    await process(order);
    await pause(campaign.id);

    expect(await asItIs(order)).toMatchObject({ state: 'PROCESSED' });
    expect(await pointsOf(await asItIs(order))).toEqual([points]);
  },
);

it('an order is rejected when the token of another order used up a limit', async () => {
  const { campaign, order, token } = await playing({ amount: 1 });
  await createByToken(world, token);
  const other = await orderOf(world, await postOrder(world, anOrderBody()));

  await process(other);
  await process(order);
  await pause(campaign.id);

  expect(await asItIs(other)).toMatchObject({ state: 'REJECTED', rejection: 'limit_reached' });
  expect(await asItIs(order)).toMatchObject({ state: 'PROCESSED' });
});
