import { beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipContract } from '../../../functions/base/get-partnership/contract.ts';
import { handler as getPartnership } from '../../../functions/base/get-partnership/handler.ts';
import { contract as byKeyContract } from '../../../functions/base/get-transaction/contract.ts';
import { handler as getByKey } from '../../../functions/base/get-transaction/handler.ts';
import { contract as userContract } from '../../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../../functions/base/get-user/handler.ts';
import { contract as listContract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler as listCampaigns } from '../../../functions/campaign/list-campaigns/handler.ts';
import { contract as byBearerContract } from '../../../functions/reward/get-transaction/contract.ts';
import { handler as getByBearer } from '../../../functions/reward/get-transaction/handler.ts';
import { contract as statusContract } from '../../../functions/user/get-user-status/contract.ts';
import { handler as getStatus } from '../../../functions/user/get-user-status/handler.ts';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { aUserLimit, earning } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { aFlowOf, changePartnership, runCampaign } from '../../support/campaigns.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { bearerOf } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let shopper: Shopper;
let campaignId: number;
/** The transactions of endpoint 2: points, then cashback. */
let rewards: { id: number }[];

/** One point per dollar and 5 % cashback on $42.50; at most 30 points. */
beforeAll(async () => {
  world = await makeWorld();
  await changePartnership(world, { allowsCashback: true });
  const actions = [earning(10_000, 21), { id: 22, ownerId: 2, kind: 'AWARD_CASHBACK', shareBp: 500 } as const];
  const campaign = await runCampaign(world, {
    flows: [aFlowOf({ actions, limits: [aUserLimit({ unit: 'POINTS', amount: 30 })] })],
    goals: [{ id: 90, ownerId: 2, type: 'POINTS_EARNED', target: 30 }],
  });
  campaignId = campaign.id;
  shopper = await newShopper(world, 100);
  const { body } = await createBy(shopper, await ask(shopper, { campaignId, amount: 42.5 }));
  rewards = body.data.reward_transactions;
  const told = (await outboxEvents(world)).filter(({ name }) => name === 'transaction_created') as PlatformEvent[];
  for (const event of told) await syncWithProgram(event, world.platform);
  await new TotalsCounter(world.platform.table).count((await readBooks(world.table)).entries, new Date());
});

const key = () => ({ 'x-api-key': world.demo.partner.apiKey });

describe('the cashback of a purchase', () => {
  it('is a separate transaction in cents', () => {
    expect(rewards).toMatchObject([
      { transaction_type: 1, reward_amount: 30, reward_unit: 'points', transaction_amount: 42.5 },
      { transaction_type: 1, reward_amount: 212, reward_unit: 'cents', transaction_amount: 42.5 },
    ]);
  });

  it('is shown in cents by endpoints 7 and 8', async () => {
    const id = String(rewards[1]?.id);
    const headers = { Authorization: `Bearer ${await bearerOf(world.demo.partner)}` };
    const byKey = await call(getByKey, byKeyContract, { params: { id }, headers: key() });
    const byBearer = await call(getByBearer, byBearerContract, { params: { reward_transaction_id: id }, headers });

    const expected = { reward_amount: 212, reward_unit: 'cents', transaction_type: 1, transaction_status: 3 };
    expect(byKey.body.data.reward_transaction).toMatchObject(expected);
    expect(byBearer.body.reward_transaction).toMatchObject({ ...expected, rewards_redeemed: 0 });
  });

  it("does not change the member's points", async () => {
    const { user } = (await world.platform.members.find(shopper.id)) ?? {};
    const byKey = await call(getUser, userContract, { params: { id: user?.uuid ?? '' }, headers: key() });
    const own = await call(getStatus, statusContract, {
      params: { id: String(shopper.id) },
      headers: { 'x-api-key': shopper.accessToken },
    });

    const expected = { total_rewards: 130, total_rewards_earned: 30, total_cashback_cents: 212 };
    expect(byKey.body.data.user.partner_status_tiers).toMatchObject([expected]);
    expect(own.body.data.user.partner_status_tiers).toMatchObject([expected]);
    expect(own.body.data.user.merchants).toMatchObject([{ total_rewards_earned: 30 }]);
  });

  it('has a ledger entry in cents', async () => {
    const entries = await world.platform.ledger.entriesOf(shopper.id, world.demo.partner.id);
    const moved = entries.map(({ kind, points, cashbackCents }) => [kind, points, cashbackCents].join(' '));
    // Sorted, because entries of the same millisecond have no fixed sequence.
    expect(moved.toSorted()).toEqual(['EARN 0 212', 'EARN 30 0', 'OPENING 100 0']);
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('is added to the totals of cashback, not of points', async () => {
    const params = { id: world.demo.partnership.uuid };
    const partnership = await call(getPartnership, partnershipContract, { params, headers: key() });
    const list = await call(listCampaigns, listContract, { query: { campaign_types: '1' }, headers: key() });

    expect(partnership.body.data.partnership).toMatchObject({
      total_rewards_earned: 30,
      total_rewards_redeemed: 0,
      total_cashback_cents: 212,
      num_of_transactions: 2,
    });
    expect(list.body.data.campaigns).toContainEqual(
      expect.objectContaining({
        id: campaignId,
        total_rewards: 30,
        total_cashback_cents: 212,
        goals: [
          { id: 90, partner_id: 2, goal_type: 2, goal_value: 30, goal_operator: 3, current_value: 30, is_reached: 1 },
        ],
      }),
    );
  });
});
