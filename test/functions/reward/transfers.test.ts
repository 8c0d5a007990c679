import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract as getContract } from '../../../functions/base/get-transaction/contract.ts';
import { handler as getTransaction } from '../../../functions/base/get-transaction/handler.ts';
import { contract as listContract } from '../../../functions/campaign/list-campaigns/contract.ts';
import { handler as listCampaigns } from '../../../functions/campaign/list-campaigns/handler.ts';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { releaseExpired } from '../../../shared/operations/token/release-expired.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import { call } from '../../support/call.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { Programs } from '../../support/programs.ts';
import { reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

let world: World;
/** Members transfer points from `miles` to `hotels`. */
let miles: World['demo']['partner'];
let hotels: Awaited<ReturnType<typeof aSecondProgram>>;
let campaign: Campaign;
let shopper: Shopper;
let programs: Programs;

/** Two points become one point of the other program, in steps of 1,000. A member may transfer 3,000 points in all. */
const transfers = (fromPartnerId: number, toPartnerId: number) =>
  runCampaign(world, {
    type: 'TRANSFER',
    flows: [
      aFlowOf({
        actions: [
          {
            id: 11,
            ownerId: miles.id,
            kind: 'TRANSFER_POINTS',
            fromPartnerId,
            toPartnerId,
            conversionRateBp: 5_000,
            increment: 1_000,
          },
        ],
        limits: [aUserLimit({ unit: 'POINTS', amount: 3_000 })],
      }),
    ],
  });

beforeAll(async () => {
  world = await makeWorld();
  miles = world.demo.partner;
  hotels = await aSecondProgram(world);
  campaign = await transfers(miles.id, hotels.id);
});
beforeEach(async () => {
  programs = new Programs();
  shopper = await newShopper(world, 10_000);
  await linkTo(world, shopper, hotels.id, 70);
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

const askFor = (amount: number) => ask(shopper, { campaignId: campaign.id, amount });

/** Calls endpoints 1 and 2 and returns both legs, the paying one first. */
async function created(amount = 2_000) {
  const { body } = await createBy(shopper, await askFor(amount));
  return body.data.reward_transactions as [{ id: number }, { id: number }];
}

const found = async ({ id }: { id: number }) => {
  const transaction = await world.platform.transactions.find(id);
  if (!transaction) throw new Error(`there is no transaction ${id}`);
  return transaction;
};
const statesOf = async (legs: readonly { id: number }[]) =>
  (await Promise.all(legs.map(found))).map(({ state }) => state);

async function sync(leg: { id: number }): Promise<void> {
  const { uuid, merchantId, partnerId } = await found(leg);
  const occurredAt = '2026-03-08T12:00:00.000Z';
  const event: PlatformEvent = {
    id: `event-of-${uuid}`,
    name: 'transaction_created',
    entityId: uuid,
    occurredAt,
    merchantId,
    partnerId,
  };
  await syncWithProgram(event, { ...world.platform, programs });
}

/** Returns available and held points in both programs. */
async function balances() {
  const { memberships = [] } = (await world.platform.members.find(shopper.id)) ?? {};
  const of = (partnerId: number) => {
    const membership = memberships.find((one) => one.partnerId === partnerId);
    return [membership?.availablePoints, membership?.heldPoints];
  };
  return { miles: of(miles.id), hotels: of(hotels.id) };
}
const untouched = { miles: [10_000, 0], hotels: [70, 0] };

async function usedOfLimit(): Promise<number[]> {
  return (await world.platform.members.find(shopper.id))?.usage.map(({ used }) => used) ?? [];
}

describe('a token for a transfer', () => {
  it('holds points only in the source program', async () => {
    expect((await askFor(2_000)).body.data.authentication_status).toBe(1);

    expect(await balances()).toEqual({ miles: [8_000, 2_000], hotels: [70, 0] });
    expect(await usedOfLimit()).toEqual([2_000]);
  });

  it('returns the held points when it expires', async () => {
    await askFor(2_000);
    const later = new Date(Date.now() + 11 * 60_000);
    await releaseExpired(withSources(world, { now: () => later }));

    expect(await balances()).toEqual(untouched);
    expect(await usedOfLimit()).toEqual([0]);
  });

  it.each([
    ['an amount that is not a multiple of the increment', 1_500, 4],
    ['a fraction of a point', 1_000.5, 4],
    ['an amount above the limit', 4_000, 4],
  ])('is refused for %s', async (_case, amount, status) => {
    expect((await askFor(amount)).body.data.authentication_status).toBe(status);
    expect(await balances()).toEqual(untouched);
  });

  it('is refused with status 2 for more points than the balance', async () => {
    shopper = await newShopper(world, 1_999);
    await linkTo(world, shopper, hotels.id);
    expect((await askFor(2_000)).body.data.authentication_status).toBe(2);
  });

  it('is refused with status 3 without a receiving account', async () => {
    shopper = await newShopper(world, 10_000);
    expect((await askFor(2_000)).body.data.authentication_status).toBe(3);
  });

  it('is refused without a partnership with the other program', async () => {
    const stranger = await aSecondProgram({ ...world, demo: { ...world.demo, merchant: world.demo.outsider } });
    await linkTo(world, shopper, stranger.id);
    const { id: campaignId } = await transfers(miles.id, stranger.id);
    expect((await ask(shopper, { campaignId, amount: 1_000 })).body.data.authentication_status).toBe(4);
  });
});

describe('a transfer of points', () => {
  it('creates one transaction in each of the two programs', async () => {
    const { body } = await createBy(shopper, await askFor(2_000));
    expect(body.data.reward_transactions).toMatchObject([
      {
        partner_id: miles.id,
        transaction_type: 2,
        reward_amount: 2_000,
        reward_unit: 'points',
        transaction_amount: 2_000,
      },
      {
        partner_id: hotels.id,
        transaction_type: 1,
        reward_amount: 1_000,
        reward_unit: 'points',
        transaction_amount: 2_000,
      },
    ]);
    const [pays] = body.data.reward_transactions;
    await sync(pays);

    expect(await statesOf(body.data.reward_transactions)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await balances()).toEqual({ miles: [8_000, 0], hotels: [1_070, 0] });
    expect((await found(pays)).programReference).toBe(`ref-${miles.id}`);
    expect(await world.platform.ledger.entriesOf(shopper.id, miles.id)).toMatchObject([
      {},
      { kind: 'REDEEM', points: -2_000 },
    ]);
    expect(await world.platform.ledger.entriesOf(shopper.id, hotels.id)).toMatchObject([
      {},
      { kind: 'EARN', points: 1_000, isForeign: true },
    ]);
  });

  it('is possible in the opposite direction', async () => {
    const back = await transfers(hotels.id, miles.id);
    shopper = await newShopper(world, 5);
    await linkTo(world, shopper, hotels.id, 1_000);
    const token = await ask(shopper, { campaignId: back.id, amount: 1_000 });
    const { body } = await createBy(shopper, token);
    await sync(body.data.reward_transactions[1]);

    expect(await balances()).toEqual({ miles: [505, 0], hotels: [0, 0] });
  });

  it.each([
    ['the paying leg first', [0, 1]],
    ['the earning leg first', [1, 0]],
    ['only the earning leg', [1]],
    ['each leg twice', [1, 0, 0, 1]],
  ])('is completed once when the events of its legs arrive as follows: %s', async (_case, order) => {
    const legs = await created();
    for (const position of order) await sync(legs[position] as { id: number });
    await Promise.all([...legs, ...legs].map(sync));

    expect(await statesOf(legs)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await balances()).toEqual({ miles: [8_000, 0], hotels: [1_070, 0] });
    expect([programs.has(miles.id).length, programs.has(hotels.id).length]).toEqual([1, 1]);
  });

  it.each([
    ['the source program', 'miles'],
    ['the receiving program', 'hotels'],
  ] as const)('fails as a whole when %s rejects it', async (_case, rejecting) => {
    const partners = { miles: miles.id, hotels: hotels.id };
    programs.answers.set(partners[rejecting], { kind: 'rejected', reason: 'account closed' });
    const legs = await created();
    await sync(legs[1]);
    await sync(legs[0]);

    expect(await statesOf(legs)).toEqual(['FAILED', 'FAILED']);
    expect(await balances()).toEqual(untouched);
    expect(await usedOfLimit()).toEqual([0]);
    // Neither program has a transaction: the one that had confirmed its leg was asked to cancel it.
    expect([programs.has(miles.id), programs.has(hotels.id)]).toEqual([[], []]);
    const reasons = (await Promise.all(legs.map(found))).map(({ failureReason }) => failureReason);
    expect(reasons.toSorted()).toEqual(['account closed', 'the other side of the transfer was rejected']);
  });

  it('shows each partner its own leg, and the merchant both', async () => {
    const legs = await created();
    const statusFor = async (apiKey: string) =>
      Promise.all(
        legs.map(async ({ id }) => {
          const request = { params: { id: String(id) }, headers: { 'x-api-key': apiKey } };
          return (await call(getTransaction, getContract, request)).status;
        }),
      );

    expect(await statusFor(miles.apiKey)).toEqual([200, 404]);
    expect(await statusFor(hotels.apiKey)).toEqual([404, 200]);
    expect(await statusFor(world.demo.merchant.apiKey)).toEqual([200, 200]);
    expect(await statusFor(world.demo.outsider.apiKey)).toEqual([404, 404]);
  });

  it('sends each partner only the events of its own leg', async () => {
    const legs = await created();
    await sync(legs[0]);
    const [pays, earns] = await Promise.all(legs.map(found));
    const told = (await outboxEvents(world)).filter(
      ({ entityId }) => entityId === pays?.uuid || entityId === earns?.uuid,
    ) as PlatformEvent[];

    expect(told).toHaveLength(6);
    for (const { entityId, partnerId, merchantId } of told) {
      expect([partnerId, merchantId]).toEqual([entityId === pays?.uuid ? miles.id : hotels.id, world.demo.merchant.id]);
    }
  });

  it('belongs to a campaign that the source partner can list, and the receiving partner cannot', async () => {
    const list = (apiKey: string) =>
      call(listCampaigns, listContract, { query: { campaign_types: '4' }, headers: { 'x-api-key': apiKey } });
    const { body } = await list(miles.apiKey);

    expect(body.data.campaigns).toContainEqual(
      expect.objectContaining({ id: campaign.id, campaign_type: 4, base_reward: 0.5 }),
    );
    expect((await list(hotels.apiKey)).status).toBe(404);
  });
});
