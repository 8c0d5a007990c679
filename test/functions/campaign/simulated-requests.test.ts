import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../functions/campaign/simulate-campaigns/contract.ts';
import { handler } from '../../../functions/campaign/simulate-campaigns/handler.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { redeeming } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Redemptions and transfers are simulated, then requested at endpoint 1: both results must agree. */

let world: World;
/** A second partner of the merchant. */
let hotels: Awaited<ReturnType<typeof aSecondProgram>>;
/** A partner id that is in no partnership of the merchant. */
const strangerId = 4_711;
beforeAll(async () => {
  world = await makeWorld();
  hotels = await aSecondProgram(world);
});

const transfer = (fromPartnerId: number, toPartnerId: number) =>
  runCampaign(world, {
    type: 'TRANSFER',
    flows: [
      aFlowOf({
        actions: [
          {
            id: 11,
            ownerId: 2,
            kind: 'TRANSFER_POINTS',
            fromPartnerId,
            toPartnerId,
            conversionRateBp: 5_000,
            increment: 1_000,
          },
        ],
      }),
    ],
  });
const toHotels = () => transfer(world.demo.partner.id, hotels.id);
const fromHotels = () => transfer(hotels.id, world.demo.partner.id);

async function tried(apiKey: string, shopper: Shopper, { id, what }: { id: number; what: object }) {
  const body = { user_id: shopper.id, campaign_id: id, ...what };
  const answer = await call(handler, contract, { body, headers: { 'x-api-key': apiKey } });
  expect(answer.status).toBe(200);
  return answer.body.data.campaigns[0];
}

/** Returns the reason of the simulation and the status of endpoint 1. */
async function both(shopper: Shopper, { id }: Campaign, amount = 1_000) {
  const simulated = await tried(world.demo.merchant.apiKey, shopper, { id, what: { transaction_amount: amount } });
  const { body } = await ask(shopper, { campaignId: id, amount });
  expect(simulated.is_rewarded).toBe(body.data.authentication_status === 1 ? 1 : 0);
  return [simulated.reason, body.data.authentication_status];
}

describe('a simulated transfer', () => {
  it('succeeds for a member of both programs with enough points', async () => {
    const shopper = await newShopper(world, 1_000);
    await linkTo(world, shopper, hotels.id);
    expect(await both(shopper, await toHotels())).toEqual([null, 1]);
  });

  it('is not rewarded when the member has no account in one of the programs', async () => {
    const shopper = await newShopper(world, 1_000);
    expect(await both(shopper, await toHotels())).toEqual(['user_not_linked', 3]);
    expect(await both(shopper, await fromHotels())).toEqual(['user_not_linked', 3]);
  });

  it('is not rewarded when the merchant has no partnership for the target program', async () => {
    const shopper = await newShopper(world, 1_000);
    expect(await both(shopper, await transfer(world.demo.partner.id, strangerId))).toEqual([
      'partnership_not_active',
      4,
    ]);
  });

  it('is not rewarded when the source program has too few points', async () => {
    const shopper = await newShopper(world, 999);
    await linkTo(world, shopper, hotels.id, 999);
    expect(await both(shopper, await toHotels())).toEqual(['insufficient_points', 2]);
    expect(await both(shopper, await fromHotels())).toEqual(['insufficient_points', 2]);
  });

  it("does not tell a partner about the member's account in another program", async () => {
    const campaign = await fromHotels();
    const [poor, rich, stranger] = await Promise.all([newShopper(world), newShopper(world), newShopper(world)]);
    await linkTo(world, poor, hotels.id, 999);
    await linkTo(world, rich, hotels.id, 1_000);

    const what = { transaction_amount: 1_000 };
    const told = await Promise.all(
      [poor, rich, stranger].map((shopper) =>
        tried(world.demo.partner.apiKey, shopper, { id: campaign.id, what }).then(({ reason }) => reason),
      ),
    );
    expect(told).toEqual([null, null, null]);
  });
});

describe('a simulated order', () => {
  const order = { transaction_subtotal: 100_000 };

  it('is never rewarded by a redeem campaign or a transfer campaign', async () => {
    const shopper = await newShopper(world, 500_000);
    await linkTo(world, shopper, hotels.id);
    const redeem = await runCampaign(world, { type: 'REDEEM', flows: [aFlowOf({ actions: [redeeming(10_000)] })] });
    for (const { id } of [redeem, await toHotels()]) {
      const simulated = await tried(world.demo.merchant.apiKey, shopper, { id, what: order });
      expect(simulated).toMatchObject({ is_rewarded: 0, reason: 'only_by_request' });
    }
    expect(await both(shopper, redeem)).toEqual([null, 1]);
  });

  it('is rewarded by an earn campaign', async () => {
    const { id } = await runCampaign(world, {});
    const simulated = await tried(world.demo.merchant.apiKey, await newShopper(world), { id, what: order });
    expect(simulated).toMatchObject({ is_rewarded: 1, rewards: [{ points: 1_000 }] });
  });
});
