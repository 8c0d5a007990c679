import { beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipContract } from '../../../functions/base/get-partnership/contract.ts';
import { handler as getPartnership } from '../../../functions/base/get-partnership/handler.ts';
import { contract as byKeyContract } from '../../../functions/base/get-transaction/contract.ts';
import { handler as getByKey } from '../../../functions/base/get-transaction/handler.ts';
import { contract as userContract } from '../../../functions/base/get-user/contract.ts';
import { handler as getUser } from '../../../functions/base/get-user/handler.ts';
import { contract as listContract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler as listCampaigns } from '../../../functions/campaign/list-campaigns/handler.ts';
import { PlatformEvent } from '../../../shared/contracts/events.ts';
import { recount } from '../../../shared/domain/ledger/totals.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { earning } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { aFlowOf, changePartnership, runCampaign } from '../../support/campaigns.ts';
import {
  announcementOf,
  announcementsOf,
  anOrderBody,
  orderOf,
  postOrder,
  postRefund,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { readTotals } from '../../support/totals.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let shopper: Shopper;
let campaignId: number;
let order: Order;

/** An order of $108, of which $100 counted: it earned $5 of cashback and 100 points. */
beforeAll(async () => {
  world = await makeWorld();
  await changePartnership(world, { allowsCashback: true });
  const actions = [earning(10_000, 21), { id: 22, ownerId: 2, kind: 'AWARD_CASHBACK', shareBp: 500 } as const];
  const campaign = await runCampaign(world, {
    flows: [aFlowOf({ actions })],
    goals: [{ id: 90, ownerId: 2, type: 'POINTS_EARNED', target: 100 }],
  });
  campaignId = campaign.id;
  shopper = await newShopper(world);
  const body = anOrderBody({ user: { merchant_external_id: shopper.externalId } });
  order = await orderOf(world, await postOrder(world, body));
  await settleOrder(await announcementOf(world, order), world.platform);
  await settle();
});

/** Completes every pending transaction and counts the ledger entries. */
async function settle(): Promise<void> {
  const told = (await outboxEvents(world)).filter(({ name }) => name === 'transaction_created');
  for (const event of told) await syncWithProgram(PlatformEvent.parse(event), world.platform);
  await new TotalsCounter(world.platform.table).count((await readBooks(world.table)).entries, new Date());
}

async function refund(name: string, amount: number): Promise<void> {
  await postRefund(world, order.uuid, { refund_external_id: name, amount });
  const event = (await announcementsOf(world, order.uuid, 'refund_received')).at(-1);
  if (!event) throw new Error('no refund was announced');
  await settleRefund(event, world.platform);
  await settle();
}

const key = () => ({ 'x-api-key': world.demo.partner.apiKey });

/** Returns the campaign's totals as shown to callers. */
async function shown() {
  const params = { id: world.demo.partnership.uuid };
  const { user } = (await world.platform.members.find(shopper.id)) ?? {};
  const [partnership, list, member] = await Promise.all([
    call(getPartnership, partnershipContract, { params, headers: key() }),
    call(listCampaigns, listContract, { query: { campaign_types: '1' }, headers: key() }),
    call(getUser, userContract, { params: { id: user?.uuid ?? '' }, headers: key() }),
  ]);
  const campaign = list.body.data.campaigns.find(({ id }: { id: number }) => id === campaignId);
  return {
    partnership: partnership.body.data.partnership.total_cashback_cents,
    campaign: campaign.total_cashback_cents,
    points: campaign.total_rewards,
    goal: campaign.goals[0].is_reached,
    member: member.body.data.user.partner_status_tiers[0].total_cashback_cents,
  };
}

async function booksFit(): Promise<void> {
  expect(await reconcile(world.table)).toEqual([]);
  const found = await readTotals(world.table, [world.demo.partnership.uuid]);
  const expected = recount((await readBooks(world.table)).entries);
  const named = (all: typeof found) =>
    Object.fromEntries(all.map(({ subject, totals }) => [String(subject.campaignId), totals]));
  expect(named(found)).toEqual(named(expected));
}

describe('a refund of an order with cashback', () => {
  it('lowers cashback and points in all totals by the refunded share', async () => {
    expect(await shown()).toEqual({ partnership: 500, campaign: 500, points: 100, goal: 1, member: 500 });
    await refund('a quarter', 2_700);

    expect(await shown()).toEqual({ partnership: 375, campaign: 375, points: 75, goal: 0, member: 375 });
    const { transactions } = await readBooks(world.table);
    const reversal = transactions.find(({ reverses, cashbackCents }) => reverses && cashbackCents > 0);
    const { body } = await call(getByKey, byKeyContract, { params: { id: String(reversal?.id) }, headers: key() });
    expect(body.data.reward_transaction).toMatchObject({
      reward_amount: -125,
      reward_unit: 'cents',
      transaction_amount: -27,
      transaction_type: 1,
      transaction_status: 3,
      reversed_transaction_id: reversal?.reverses?.id,
    });
    await booksFit();
  });

  it('reverses all that is left when the rest of the order is refunded', async () => {
    await refund('the rest', 8_100);

    expect(await shown()).toEqual({ partnership: 0, campaign: 0, points: 0, goal: 0, member: 0 });
    const { transactions } = await readBooks(world.table);
    const originals = transactions.filter(({ campaignId: of, reverses }) => of === campaignId && !reverses);
    expect(originals.map(({ state }) => state)).toEqual(['REVERSED', 'REVERSED']);
    await booksFit();
  });
});
