import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { recount } from '../../../shared/domain/ledger/totals.ts';
import { areRefundsApplied } from '../../../shared/domain/order/refund.ts';
import type { ReversalPolicy } from '../../../shared/domain/partnership.ts';
import { refundTransaction } from '../../../shared/operations/order/refund-transaction.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { membershipKey } from '../../../shared/store/member/members.ts';
import { aUserLimit } from '../../domain/fixtures.ts';
import { aFlowOf, changePartnership, runCampaign } from '../../support/campaigns.ts';
import { Programs } from '../../support/programs.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { aSecondProgram, linkTo } from '../../support/second-program.ts';
import { settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

let world: World;
/** The campaign's partner, whose program the points leave, and the partner whose program receives them. */
let miles: World['demo']['partner'];
let hotels: Awaited<ReturnType<typeof aSecondProgram>>;
let campaign: Campaign;
let shopper: Shopper;
let programs: Programs;

/** Two points become one point of the other program. Each member may make one transfer. */
beforeAll(async () => {
  world = await makeWorld();
  miles = world.demo.partner;
  hotels = await aSecondProgram(world);
  const action = {
    id: 11,
    ownerId: miles.id,
    kind: 'TRANSFER_POINTS',
    fromPartnerId: miles.id,
    toPartnerId: hotels.id,
    conversionRateBp: 5_000,
    increment: 1_000,
  } as const;
  campaign = await runCampaign(world, {
    type: 'TRANSFER',
    flows: [aFlowOf({ actions: [action], limits: [aUserLimit({ amount: 1 })] })],
  });
});
beforeEach(async () => {
  programs = new Programs();
  shopper = await newShopper(world, 10_000);
  await linkTo(world, shopper, hotels.id, 70);
  await policy('within_balance');
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

const policy = (reversalPolicy: ReversalPolicy) => changePartnership(world, { reversalPolicy });

type Legs = [pays: RewardTransaction, earns: RewardTransaction];
const asTheyAre = (legs: readonly { id: number }[]) =>
  Promise.all(legs.map(({ id }) => world.platform.transactions.find(id))) as Promise<Legs>;

/** A pending transfer of 2,000 points. */
async function created(): Promise<Legs> {
  const { body } = await createBy(shopper, await ask(shopper, { campaignId: campaign.id, amount: 2_000 }));
  return asTheyAre(body.data.reward_transactions);
}

/** A transfer like that of `created()`, which both programs confirmed. */
async function transferred(): Promise<Legs> {
  const legs = await created();
  await sync(legs[0]);
  return asTheyAre(legs);
}

async function sync({ uuid, merchantId, partnerId }: RewardTransaction): Promise<void> {
  const occurredAt = '2026-03-08T12:00:00.000Z';
  const told = { id: `event-of-${uuid}`, name: 'transaction_created', entityId: uuid, occurredAt } as const;
  await syncWithProgram({ ...told, merchantId, partnerId } satisfies PlatformEvent, { ...world.platform, programs });
}

let refunds = 0;
const aRefund = ({ amountCents }: RewardTransaction, part = 1) => ({
  externalRefundId: `refund-${++refunds}`,
  amountCents: amountCents * part,
});

/** Reports a refund of a transfer, and settles the transfer. Returns whether all its refunds are applied. */
async function refund(leg: RewardTransaction, reported = aRefund(leg), deps = world.platform): Promise<boolean> {
  const { id, uuid: entityId, merchantId, campaignId, externalTransactionId } = leg;
  await refundTransaction({ merchantId, transactionId: String(id), ...reported }, world.platform);
  await settleRefund({ entityId }, deps);
  const claim = await deps.claims.find({
    ...{ merchantId, campaignId },
    externalTransactionId: externalTransactionId ?? '',
  });
  return claim !== undefined && areRefundsApplied(claim);
}

/** Returns the reversals of both legs, in the sequence of the legs. */
async function reversalsOf(legs: Legs): Promise<RewardTransaction[]> {
  const { transactions } = await readBooks(world.table);
  return legs.flatMap(({ id }) => transactions.filter(({ reverses }) => reverses?.id === id));
}
const statesOf = async (legs: readonly RewardTransaction[]) => (await asTheyAre(legs)).map(({ state }) => state);

/** Returns available and held points in both programs, and the limit's usage. */
async function standing() {
  const { memberships = [], usage = [] } = (await world.platform.members.find(shopper.id)) ?? {};
  const of = (id: number) => {
    const found = memberships.find(({ partnerId }) => partnerId === id);
    return [found?.availablePoints, found?.heldPoints];
  };
  return { miles: of(miles.id), hotels: of(hotels.id), used: usage.map(({ used }) => used) };
}
const asBefore = { miles: [10_000, 0], hotels: [70, 0], used: [0] };
const asTransferred = { miles: [8_000, 0], hotels: [1_070, 0], used: [1] };

describe('a refund of a transfer', () => {
  it.each([
    ['the leg that pays', 0],
    ['the leg that earns', 1],
  ] as const)('reverses both legs when the message names %s', async (_case, position) => {
    const legs = await transferred();
    await refund(legs[position]);
    const reversals = await reversalsOf(legs);
    expect(reversals).toMatchObject([
      { type: 'REDEEM', points: 2_000, state: 'PENDING', otherLegId: reversals[1]?.id },
      { type: 'EARN', points: 1_000, state: 'PENDING', otherLegId: reversals[0]?.id, isForeign: true },
    ]);
    expect(await standing()).toEqual({ miles: [8_000, 0], hotels: [70, 1_000], used: [1] });

    for (const reversal of reversals) await sync(reversal);

    expect(await statesOf(reversals)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await statesOf(legs)).toEqual(['REVERSED', 'REVERSED']);
    expect(await standing()).toEqual(asBefore);
    const { entries } = await readBooks(world.table);
    const own = entries.filter(({ userId }) => userId === shopper.id);
    expect(recount(own).map(({ totals }) => totals)).toMatchObject([
      { earnedPoints: 0, redeemedPoints: 0, transactions: 2 },
    ]);
    const association = (await world.platform.members.find(shopper.id))?.associations[0];
    expect(association).toMatchObject({ totalEarnedPoints: 0, totalRedeemedPoints: 0 });
  });

  it('reverses nothing until the whole transfer is refunded', async () => {
    const legs = await transferred();
    await refund(legs[0], aRefund(legs[0], 0.5));
    expect(await reversalsOf(legs)).toEqual([]);
    expect(await standing()).toEqual(asTransferred);

    await refund(legs[1], aRefund(legs[1], 0.5));
    for (const reversal of await reversalsOf(legs)) await sync(reversal);
    expect(await standing()).toEqual(asBefore);
  });

  it.each([
    ['the source program', 'miles'],
    ['the receiving program', 'hotels'],
  ] as const)('changes nothing when %s refuses the reversal', async (_case, refusing) => {
    const legs = await transferred();
    const partners = { miles: miles.id, hotels: hotels.id };
    programs.answers.set(partners[refusing], { kind: 'rejected', reason: 'account closed' });
    await refund(legs[0]);
    const reversals = await reversalsOf(legs);
    for (const reversal of reversals) await sync(reversal);

    expect(await statesOf(reversals)).toEqual(['FAILED', 'FAILED']);
    expect(await statesOf(legs)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await standing()).toEqual(asTransferred);
    expect([programs.has(miles.id), programs.has(hotels.id)]).toEqual([[legs[0].uuid], [legs[1].uuid]]);
  });

  it('is posted to the program that loses points before the other program', async () => {
    const legs = await transferred();
    programs.answers.set(hotels.id, 'breaks');
    await refund(legs[0]);
    const [back, taken] = await reversalsOf(legs);
    await expect(sync(back as RewardTransaction)).rejects.toThrow('does not answer');
    expect(programs.has(miles.id)).toEqual([legs[0].uuid]);

    programs.answers.delete(hotels.id);
    await sync(taken as RewardTransaction);
    expect(await standing()).toEqual(asBefore);
  });
});

describe('a refund of a partly spent transfer', () => {
  /** Spends a part of the received points. */
  async function spent(): Promise<Legs> {
    const back = await runCampaign(world, {
      type: 'TRANSFER',
      flows: [
        aFlowOf({
          actions: [
            {
              id: 12,
              ownerId: miles.id,
              kind: 'TRANSFER_POINTS',
              fromPartnerId: hotels.id,
              toPartnerId: miles.id,
              conversionRateBp: 10_000,
              increment: 1,
            },
          ],
        }),
      ],
    });
    const legs = await transferred();
    const { body } = await createBy(shopper, await ask(shopper, { campaignId: back.id, amount: 500 }));
    await sync((await asTheyAre(body.data.reward_transactions))[0]);
    return legs;
  }

  it('reverses neither leg under the policy within_balance', async () => {
    const legs = await spent();
    const before = await standing();
    expect(await refund(legs[0])).toBe(true);

    expect(await reversalsOf(legs)).toEqual([]);
    expect(await statesOf(legs)).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await standing()).toEqual(before);
  });

  it('reverses both legs under the policy unlimited', async () => {
    const legs = await spent();
    await policy('unlimited');
    await refund(legs[0]);
    for (const reversal of await reversalsOf(legs)) await sync(reversal);

    expect(await statesOf(legs)).toEqual(['REVERSED', 'REVERSED']);
    expect(await standing()).toMatchObject({ miles: [10_500, 0], hotels: [-430, 0] });
  });
});

describe('a refund of a transfer with held points', () => {
  async function held(): Promise<Legs> {
    const legs = await transferred();
    const key = membershipKey(shopper.id, hotels.id);
    // Holds 500 points, as a live token of a campaign of that program does.
    await world.platform.table.write({
      kind: 'update',
      key,
      changes: { add: { availablePoints: -500, heldPoints: 500 } },
    });
    return legs;
  }

  async function release(): Promise<void> {
    const key = membershipKey(shopper.id, hotels.id);
    await world.platform.table.write({
      kind: 'update',
      key,
      changes: { add: { availablePoints: 500, heldPoints: -500 } },
    });
  }

  it('waits until the token releases the points', async () => {
    const legs = await held();
    const asked = aRefund(legs[0]);
    await expect(refund(legs[0], asked)).rejects.toThrow('are held');

    await release();
    await refund(legs[0], asked);
    for (const reversal of await reversalsOf(legs)) await sync(reversal);
    expect(await standing()).toEqual(asBefore);
  });

  it('reverses neither leg when points stay held', async () => {
    const legs = await held();
    const later = withSources(world, { now: () => new Date(Date.now() + 11 * 60_000) });
    expect(await refund(legs[0], aRefund(legs[0]), later)).toBe(true);
    expect(await reversalsOf(legs)).toEqual([]);
    await release();
    expect(await standing()).toEqual(asTransferred);
  });
});

describe('a refund of a transfer', () => {
  it('reverses no completed leg under the policy only_pending', async () => {
    await policy('only_pending');
    const legs = await transferred();
    await refund(legs[0]);
    expect(await reversalsOf(legs)).toEqual([]);
    expect(await standing()).toEqual(asTransferred);
  });
});
