import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiveOrder } from '../../../shared/domain/order/order.ts';
import {
  deleteCampaign,
  endCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../../shared/operations/campaign/change-campaign.ts';
import { orderUuidOf } from '../../../shared/store/order/orders.ts';
import { announcementOf } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder } from '../../support/settle.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

/** Orders processed late, after their campaign was paused, ended or deleted. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const begun = Date.now();
/** Returns the instant some hours after the campaign's start. */
const hour = (hours: number) => new Date(begun + hours * 3_600_000);

async function manage(change: typeof pauseCampaign, hours: number): Promise<void> {
  const { demo } = world;
  const then = withSources(world, { now: () => hour(hours) });
  await change({ campaignId: demo.campaigns.earn, as: { id: demo.partner.id } }, then);
}

let orders = 0;

/** Processes an order that was received at a given hour and returns its result. */
async function outcomeOf(hours: number): Promise<string> {
  const { platform, demo } = world;
  const key = { merchantId: demo.merchant.id, externalOrderId: `late-${++orders}` };
  const uuid = orderUuidOf(key, hour(hours));
  const amounts = { totalCents: 1_000, subtotalCents: 1_000, discountCents: 0 };
  const told = { ...key, ...amounts, uuid, userId: demo.members[0]?.id ?? 0, paymentId: null, lineItems: [] };
  const order = receiveOrder(told, hour(hours));
  await platform.orders.add(order, platform.nextUuid());

  await settleOrder(await announcementOf(world, order), platform);

  const { state, rejection } = (await platform.orders.find(uuid)) ?? {};
  return rejection ?? state ?? 'gone';
}

async function outcomes(...hours: number[]): Promise<string[]> {
  const found: string[] = [];
  for (const came of hours) found.push(await outcomeOf(came));
  return found;
}

const [earned, nothing] = ['PROCESSED', 'no_running_campaign'];

describe('an order processed late', () => {
  it('earns while the campaign is paused only if it arrived before the pause', async () => {
    await manage(pauseCampaign, 2);
    expect(await outcomes(1, 2, 3)).toEqual([earned, nothing, nothing]);
  });

  it('earns after the campaign was resumed, unless it arrived during the pause', async () => {
    await manage(resumeCampaign, 4);
    expect(await outcomes(1, 3, 4)).toEqual([earned, nothing, earned]);
  });

  it('earns after the campaign’s end only if it arrived before the end', async () => {
    await manage(endCampaign, 6);
    expect(await outcomes(1, 3, 5, 6, 7)).toEqual([earned, nothing, earned, nothing, nothing]);
  });

  it('earns nothing after the campaign was deleted', async () => {
    await manage(deleteCampaign, 8);
    expect(await outcomes(1, 5, 9)).toEqual([nothing, nothing, nothing]);
  });
});
