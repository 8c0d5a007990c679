import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aFlow, earning } from '../../domain/fixtures.ts';
import { runCampaign } from '../../support/campaigns.ts';
import { anOrderBody, orderOf, postOrder, postRefund } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { comeToRest, settlePayment } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Purchases whose moves and payments do not fit into one write of the table. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const rest = () =>
  comeToRest(world, [
    ...(['order_received', 'payment_changed', 'refund_received', 'purchase_changed', 'transaction_created'] as const),
  ]);

async function pointsOf({ id }: Shopper): Promise<number | undefined> {
  const member = await world.platform.members.find(id);
  return member?.memberships.find(({ partnerId }) => partnerId === world.demo.partner.id)?.availablePoints;
}

const payments = (count: number, { externalId: external_id }: Pick<Shopper, 'externalId'>, order_id: string) =>
  Array.from({ length: count }, () => {
    const payment_id = randomUUID();
    const customer = { external_id };
    return { payment_id, amount: 100, currency: 'USD', customer, order_id };
  });

describe('a purchase with 30 payments', () => {
  it('earns for each, and loses what they return', async () => {
    const shopper = await newShopper(world);
    const all = payments(30, shopper, randomUUID());
    for (const payment of all) await ingest(world, canonicalText(world, 'payment.completed', payment));
    await rest();
    const earned = await pointsOf(shopper);

    for (const { payment_id, amount, currency } of all.slice(0, 15)) {
      const refund = { payment_id, refund_id: randomUUID(), amount, currency };
      await ingest(world, canonicalText(world, 'refund.completed', refund));
    }
    await rest();

    expect([earned, await pointsOf(shopper)]).toEqual([60, 30]);
  });
});

describe('a purchase under 21 campaigns, most with two awards', () => {
  it('loses half of each award when half is refunded', async () => {
    const flows = [1, 2].map((id) => aFlow([earning(10_000, id + 10)], [], id));
    for (let count = 0; count < 20; count += 1) await runCampaign(world, { flows });
    const shopper = await newShopper(world);
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, transaction_total: 10_000 });
    const order = await orderOf(world, await postOrder(world, body));
    await rest();
    const earned = await pointsOf(shopper);

    await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 5_000 });
    await rest();

    expect([earned, await pointsOf(shopper)]).toEqual([4_200, 2_100]);
  });
});

describe('a purchase under 5 more campaigns, each with six awards', () => {
  it('loses half of each award in more than one write', async () => {
    const flows = [1, 2, 3, 4, 5, 6].map((id) => aFlow([earning(10_000, id + 10)], [], id));
    for (let count = 0; count < 5; count += 1) await runCampaign(world, { flows });
    const shopper = await newShopper(world);
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, transaction_total: 10_000 });
    const order = await orderOf(world, await postOrder(world, body));
    await rest();
    const earned = await pointsOf(shopper);

    await postRefund(world, order.uuid, { refund_external_id: randomUUID(), amount: 5_000 });
    await rest();

    expect([earned, await pointsOf(shopper)]).toEqual([7_200, 3_600]);
  });
});

describe('a purchase with 60 payments', () => {
  it('shows each of them in more than one write why it earned nothing', async () => {
    const order_id = randomUUID();
    for (const payment of payments(60, { externalId: randomUUID() }, order_id)) {
      await ingest(world, canonicalText(world, 'payment.completed', payment));
    }
    const key = { merchantId: world.demo.merchant.id, externalOrderId: order_id };
    const [first] = await world.platform.payments.findOfOrder(key);
    await settlePayment({ entityId: first?.uuid ?? '' }, world.platform);

    const found = await world.platform.payments.findOfOrder(key);
    expect(found.map(({ reason }) => reason)).toEqual(Array(60).fill('no_member'));
  });
});
