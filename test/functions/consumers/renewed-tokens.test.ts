import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { InternalEvent } from '../../../shared/contracts/events.ts';
import { TokenAwaitedError } from '../../../shared/operations/award/award-event.ts';
import { settlePurchase } from '../../../shared/operations/purchase/settle-purchase.ts';
import { authenticateTransaction } from '../../../shared/operations/token/authenticate-transaction.ts';
import { createTransaction } from '../../../shared/operations/token/create-transaction.ts';
import { campaignWrites } from '../../../shared/store/campaign/campaigns.ts';
import { aFlowOf, runCampaign } from '../../support/campaigns.ts';
import { countStream } from '../../support/count-stream.ts';
import {
  announcementOf,
  anOrderBody,
  confirmAll,
  orderOf,
  postOrder,
  processedOrder,
} from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
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
    const event = await announcementOf(world, order);
    await expect(settleOrder(event, platformAfter(0.1))).rejects.toThrow('may still be spent');
    await askAt(10.1, earn, 2_000);

    await settleOrder(event, platformAfter(10.2));

    expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'PROCESSED' });
  });
});

/** A campaign that is paused, and a change of its status. */
async function pausedCampaign() {
  const campaign = await runCampaign(world, { flows: [aFlowOf({})] });
  const withStatus = (status: 'ACTIVE' | 'PAUSED') =>
    world.platform.table.transact(campaignWrites({ ...campaign, status }));
  await withStatus('PAUSED');
  return { campaign, withStatus };
}

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

  it('waits at most for the validity period of a token, whatever is reported meanwhile', async () => {
    const paymentId = randomUUID();
    const { earn } = world.demo.campaigns;
    const payment = await report(11, paymentId, 'one', 10_000);
    await askAt(11.1, earn, 10_000);
    await expect(settlePayment(payment, platformAfter(11.2))).rejects.toThrow('may still be spent');
    await report(20, paymentId, 'two', 100);
    const token = await askAt(21.15, earn, 10_000);
    await expect(settlePayment(payment, platformAfter(21.18))).rejects.toThrow('may still be spent');
    await settlePayment(payment, platformAfter(21.3));
    await expect(spendAt(22, token)).rejects.toThrow('already been created');
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 202);
  });

  it('waits for a token that is issued after its customer was linked', async () => {
    const externalId = randomUUID();
    shopper = { ...shopper, externalId };
    const payment = await report(0, randomUUID(), 'one', 10_000);
    await settlePayment(payment, platformAfter(0.1));
    shopper = await newShopper(world, 5_000, externalId);
    const token = await askAt(20, world.demo.campaigns.earn, 10_000);
    await expect(settlePayment(payment, platformAfter(20.1))).rejects.toThrow('may still be spent');
    await spendAt(21, token);
    await settlePayment(payment, platformAfter(22));
    await confirmAll(world);
    expect(await available()).toBe(5_000 + 200);
  });

  it('waits for a token that is issued after the report of a later capture', async () => {
    const paymentId = randomUUID();
    const { campaign, withStatus } = await pausedCampaign();
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

describe('a purchase that grew by a spent token', () => {
  it('waits for the other token of the member', async () => {
    const [one, other] = [await pausedCampaign(), await pausedCampaign()];
    await processedOrder(world, shopper, externalOrderId);
    await countStream(world);
    for (const { withStatus } of [one, other]) await withStatus('ACTIVE');
    const spent = await askAt(20, one.campaign.id, 90_000);
    const live = await askAt(20, other.campaign.id, 90_000);
    const known = new Set((await outboxEvents(world)).map(({ id }) => id));
    await spendAt(20.1, spent);
    await countStream(world);
    const news = (await outboxEvents(world)).filter(({ id, name }) => !known.has(id) && name === 'purchase_changed');
    const settleAll = (minutes: number) =>
      Promise.allSettled(news.map((event) => settlePurchase(InternalEvent.parse(event), platformAfter(minutes))));

    expect(await settleAll(20.2)).toContainEqual({ status: 'rejected', reason: expect.any(TokenAwaitedError) });
    await spendAt(21, live);
    for (const { withStatus } of [one, other]) await withStatus('PAUSED');
    expect((await settleAll(22)).map(({ status }) => status)).not.toContain('rejected');
  });
});
