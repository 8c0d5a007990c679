import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { reconcile } from '../../support/reconcile.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** A campaign version with another limit takes effect while tokens of the previous version are live. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const limitedTo = (amount: number) => [aFlowOf({ limits: [aUserLimit({ unit: 'POINTS', amount })] })];

/** A campaign with a lifetime limit of fifty points. The tokens of a shopper's orders A and B reserve all of them. */
async function usedUp(): Promise<{ campaign: Campaign; shopper: Shopper }> {
  const campaign = await runCampaign(world, { flows: limitedTo(50) });
  const shopper = await newShopper(world);
  for (const [order, amount] of [
    ['A', 30],
    ['B', 20],
  ] as const)
    await ask(shopper, { campaignId: campaign.id, amount, order });
  return { campaign, shopper };
}

async function change(campaign: Campaign, amount: number): Promise<void> {
  await world.platform.table.transact(campaignWrites({ ...campaign, version: 2, flows: limitedTo(amount) }));
}

const usedBy = async ({ id }: Shopper) => (await world.platform.members.find(id))?.usage.map(({ used }) => used);

describe('an order’s second token, for a larger amount,', () => {
  it('earns its full reward after the limit was raised', async () => {
    const { campaign, shopper } = await usedUp();
    await change(campaign, 100);
    const answer = await ask(shopper, { campaignId: campaign.id, amount: 60, order: 'A' });

    expect(answer).toMatchObject({ status: 200, body: { data: { authentication_status: 1 } } });
    expect((await createBy(shopper, answer)).body.data.reward_transactions).toMatchObject([{ reward_amount: 60 }]);
    expect(await usedBy(shopper)).toEqual([80]);
  });

  it('earns only what is left after the limit was lowered', async () => {
    const { campaign, shopper } = await usedUp();
    await change(campaign, 35);
    const answer = await ask(shopper, { campaignId: campaign.id, amount: 60, order: 'A' });

    expect((await createBy(shopper, answer)).body.data.reward_transactions).toMatchObject([{ reward_amount: 15 }]);
    expect(await usedBy(shopper)).toEqual([35]);
  });
});
