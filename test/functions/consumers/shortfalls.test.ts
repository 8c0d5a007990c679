import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/domain/order/order.ts';
import { cancelClaim } from '../../../shared/operations/token/cancel-claim.ts';
import { aFlow, earning } from '../../domain/fixtures.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { confirmAll, processedOrder, refundOrder } from '../../support/order-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * Refunds of points that the member has spent, or that a token holds. The member owes such points to the program.
 * Points that come back settle this debt before they become available.
 */

let world: World;
let shopper: Shopper;
beforeAll(async () => {
  world = await makeWorld();
});
/** A member without points. Every order earns 200 points, and every payment takes 200. */
beforeEach(async () => {
  shopper = await newShopper(world, 0);
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

async function earned(): Promise<Order> {
  const order = await processedOrder(world, shopper);
  await confirmAll(world);
  return order;
}

const askToPay = (amount = 2, order: string = randomUUID()) =>
  ask(shopper, { campaignId: world.demo.campaigns.redeem, amount, order });

/** An order for which the shopper paid 200 points. Another customer places it, so the shopper earns nothing for it. */
async function paid(): Promise<Order> {
  const externalOrderId = randomUUID();
  await createBy(shopper, await askToPay(2, externalOrderId));
  await confirmAll(world);
  return processedOrder(world, await newShopper(world), externalOrderId);
}

async function points() {
  const [account] = (await world.platform.members.find(shopper.id))?.memberships ?? [];
  return { available: account?.availablePoints, held: account?.heldPoints, owed: account?.owedPoints };
}

/** Lets the shopper's tokens expire, and releases the points that they hold. */
async function tokensExpire(): Promise<void> {
  const later = new Date(world.platform.now().getTime() + 11 * 60_000);
  const { claims } = await readBooks(world.table);
  const own = claims.filter(({ userId, state }) => userId === shopper.id && state === 'ISSUED');
  for (const claim of own) await cancelClaim(claim, later, world.platform);
}

async function rows() {
  const { entries } = await readBooks(world.table);
  const own = entries.filter(({ userId, kind }) => userId === shopper.id && kind !== 'OPENING');
  return own.map((entry) => [entry.kind, entry.points]).toSorted();
}

const nothing = { available: 0, held: 0, owed: 0 };

describe('a refund of an order, while a token holds the order’s points,', () => {
  it('takes the points when the token expires', async () => {
    const order = await earned();
    await askToPay();
    await refundOrder(world, order);
    expect(await points()).toEqual({ available: 0, held: 200, owed: 200 });

    await tokensExpire();

    expect(await points()).toEqual(nothing);
    expect(await rows()).toEqual([
      ['EARN', 200],
      ['EARN_REVERSAL', -200],
      ['SETTLEMENT', -200],
      ['SHORTFALL', 200],
    ]);
  });

  it('prevents a new token for the same points', async () => {
    const order = await earned();
    const basket = randomUUID();
    await askToPay(2, basket);
    await refundOrder(world, order);

    const renewed = await askToPay(1.5, basket);

    expect(renewed.body.data.authentication_status).toBe(2);
    await tokensExpire();
    expect(await points()).toEqual(nothing);
  });

  it('makes the member owe the points when the token is spent', async () => {
    const order = await earned();
    const basket = randomUUID();
    const token = await askToPay(2, basket);
    await refundOrder(world, order);
    await createBy(shopper, token);
    await confirmAll(world);
    expect(await points()).toEqual({ ...nothing, owed: 200 });

    await refundOrder(world, await processedOrder(world, await newShopper(world), basket));

    expect(await points()).toEqual(nothing);
  });
});

describe('refunds of an order that earned points and an order paid with them', () => {
  it.each([
    ['the order that earned', 'the paid order', ['earning', 'paying']],
    ['the paid order', 'the order that earned', ['paying', 'earning']],
  ] as const)('leave no points when %s is refunded before %s', async (_first, _second, names) => {
    const orders = { earning: await earned(), paying: await paid() };
    expect(await points()).toEqual(nothing);

    for (const name of names) await refundOrder(world, orders[name]);

    expect(await points()).toEqual(nothing);
  });
});

it('a new award does not settle the shortfall of an earlier refund', async () => {
  const order = await earned();
  await paid();
  await refundOrder(world, order);
  await earned();
  expect(await points()).toEqual({ available: 200, held: 0, owed: 200 });
});

// The last test: its campaign rewards every later order, too.
describe('a refund of an order with two awards', () => {
  it('takes what is available once, and makes the member owe the rest', async () => {
    await runCampaign(world, { flows: [aFlow([earning(10_000, 11)], [], 1)] });
    const order = await earned();
    expect((await points()).available).toBe(300);
    await askToPay(2);
    await refundOrder(world, order);
    expect(await points()).toEqual({ available: 0, held: 200, owed: 200 });
    await tokensExpire();
    expect(await points()).toEqual(nothing);
  });
});
