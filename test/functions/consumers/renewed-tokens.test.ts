import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/token/create-transaction.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { announcementOf, anOrderBody, confirmAll, orderOf, postOrder } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest, paymentOf } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { type About, settleOrder, settlePayment } from '../../support/settle.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../../support/world.ts';

/**
 * Orders wait for a transaction token of the same order; refunds do not. A member may replace such a token again and
 * again by asking for other amounts.
 */

let world: World;
let shopper: Shopper;
let externalOrderId: string;
/** The time of the first token. */
let begin: Date;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
  externalOrderId = randomUUID();
  begin = world.platform.now();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

/** The platform, some minutes after the first token. */
const platformAfter = (minutes: number) =>
  withSources(world, { now: () => new Date(begin.getTime() + Math.round(minutes * 60_000)) });

/** Endpoint 1, for an order of the shopper. */
const askAt = (minutes: number, campaignId: number, amountCents: number) =>
  authenticateTransaction(
    {
      ...{ userId: shopper.id, merchantId: world.demo.merchant.id, partnerId: undefined, campaignId },
      ...{ externalTransactionId: externalOrderId, amountCents },
    },
    platformAfter(minutes),
  );

/** Endpoint 2. */
const spendAt = (minutes: number, { authenticationId: token }: { readonly authenticationId: string }) =>
  createTransaction({ token, userId: shopper.id, merchantId: world.demo.merchant.id }, platformAfter(minutes));

async function available(): Promise<number | undefined> {
  return (await world.platform.members.find(shopper.id))?.memberships[0]?.availablePoints;
}

describe('an order that arrives while a token lives', () => {
  it('is rewarded after this token expires, even while a renewed token lives', async () => {
    const { earn } = world.demo.campaigns;
    await askAt(0, earn, 2_000);
    const body = anOrderBody({
      user: { merchant_external_id: shopper.externalId },
      order_external_id: externalOrderId,
    });
    const order = await orderOf(world, await postOrder(world, body));
    const renewed = await askAt(9, earn, 2_100);
    const event = await announcementOf(world, order);

    await expect(settleOrder(event, platformAfter(9.9))).rejects.toThrow('may still be spent');
    await settleOrder(event, platformAfter(10.1));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED' });
    await expect(spendAt(11, renewed)).rejects.toThrow('already been created');
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 200);
  });

  it('does not wait for a token issued after the expiry of this token', async () => {
    const { earn } = world.demo.campaigns;
    await askAt(0, earn, 2_000);
    const body = anOrderBody({
      user: { merchant_external_id: shopper.externalId },
      order_external_id: externalOrderId,
    });
    const order = await orderOf(world, await postOrder(world, body));
    await askAt(10.1, earn, 2_000);

    await settleOrder(await announcementOf(world, order), platformAfter(10.2));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED' });
  });
});

describe('a payment that its platform reports long after it was made', () => {
  /** Reports a capture, made when the test began. */
  async function report(minutes: number, paymentId: string, capture_id: string, amount: number): Promise<About> {
    const detail = { payment_id: paymentId, capture_id, order_id: externalOrderId, amount, currency: 'USD' };
    const customer = { external_id: shopper.externalId };
    const occurred_at = begin.toISOString();
    const text = canonicalText(world, 'payment.completed', { ...detail, customer, occurred_at });
    await ingest({ platform: platformAfter(minutes) }, text);
    const account = String(world.demo.merchant.id);
    const { uuid } = await paymentOf(world, { platform: 'canonical', account, paymentId });
    return { entityId: uuid };
  }

  it('waits for a token that is issued after the report', async () => {
    const payment = await report(11, randomUUID(), 'one', 10_000);
    const token = await askAt(11.1, world.demo.campaigns.earn, 10_000);
    await expect(settlePayment(payment, platformAfter(11.2))).rejects.toThrow('may still be spent');
    await spendAt(12, token);
    await settlePayment(payment, platformAfter(13));
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 200);
  });

  it('waits at most for the validity period of a token', async () => {
    const payment = await report(11, randomUUID(), 'one', 10_000);
    const token = await askAt(20, world.demo.campaigns.earn, 10_000);
    await expect(settlePayment(payment, platformAfter(20.9))).rejects.toThrow('may still be spent');
    await settlePayment(payment, platformAfter(21.1));
    await expect(spendAt(22, token)).rejects.toThrow('already been created');
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 200);
  });

  it('waits for a token that is issued after the report of a later capture', async () => {
    const paymentId = randomUUID();
    const campaign = await runCampaign(world, { flows: [aFlowOf({})] });
    const withStatus = (status: 'ACTIVE' | 'PAUSED') =>
      world.platform.table.transact(campaignWrites({ ...campaign, status }));
    await withStatus('PAUSED');
    await settlePayment(await report(0, paymentId, 'one', 4_000), platformAfter(0.1));
    await withStatus('ACTIVE');
    const payment = await report(30, paymentId, 'two', 6_000);
    const token = await askAt(30.1, campaign.id, 10_000);
    await expect(settlePayment(payment, platformAfter(30.2))).rejects.toThrow('may still be spent');
    await spendAt(31, token);
    await withStatus('PAUSED');
    await settlePayment(payment, platformAfter(32));
  });
});
