import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { addCampaign, awarding } from '../../support/campaigns.ts';
import { anOrderBody, postOrder, postRefund, processedOrder, refundOrder } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest, settleAnnounced } from '../../support/payment-story.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { admin, useWorld, world } from './admin-world.ts';

/** `member why` and `order show` find purchases by the order number of the merchant. */

const merchant = ['--of', 'Corner Coffee'] as const;

let shopper: Shopper;
let strict: number;

useWorld(async () => {
  await connectAccounts(world);
  shopper = await newShopper(world, 1_000);
  const conditions = [
    { id: 91, ownerId: 2, attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 50_000 } as const,
  ];
  const flow = awarding({ type: 'SPEND' }, 0, { conditionGroups: [{ id: 90, logic: 'ALL', conditions }] });
  const actions = [{ id: 92, ownerId: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: 10_000 } as const];
  ({ id: strict } = await addCampaign(world, [{ ...flow, actions }]));
});

const why = (...asked: string[]) => admin.read('member why', ...asked);

describe('the command member why, for a refused purchase,', () => {
  it('finds the refusal by order number', async () => {
    const order = randomUUID();
    await ask(shopper, { campaignId: strict, amount: 10, order });
    const { status, out } = await why(order, ...merchant);

    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`purchase +${order}\nmerchant +Corner Coffee\norder +not registered`));
    expect(out).toContain('Refused requests of endpoint 1');
    expect(out).toContain('A condition of the campaign does not hold (not_qualified).');
    expect(out).toContain(`Member ${shopper.id} asked with the amount $10.00, campaign ${strict}.`);
    expect(out).toContain('Flow 1 rewarded nothing, because its conditions did not hold.');
    expect(out).toContain('condition 91, that the purchase is more than $500.00, did not hold: it was $10.00');
  });

  it('finds the refusal by authentication id', async () => {
    const order = randomUUID();
    const { body } = await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 5_000, order });
    const id = body.data.authentication_id;
    const { json } = await admin.script(`member why ${id}`);

    expect((await why(id)).out).toContain('It costs 500,000 points; the balance was 1,000.');
    expect(json).toMatchObject({
      purchase: { merchantId: world.demo.merchant.id, externalTransactionId: order },
      refusedAttempts: [
        {
          ...{ authenticationId: id, userId: shopper.id, amountCents: 500_000, reason: 'insufficient_points' },
          ...{ status: 'INSUFFICIENT_REWARDS_AMOUNT', cost: { points: 500_000, balance: 1_000 } },
        },
      ],
      ...{ tokens: [], transactions: [], payments: [], refunds: [] },
    });
  });

  it('lists the latest refusal first', async () => {
    const order = randomUUID();
    await ask(shopper, { campaignId: strict, amount: 10, order });
    const first = Date.now();
    // Refusals of the same millisecond have no fixed sequence.
    await vi.waitUntil(() => Date.now() > first, { interval: 1 });
    await ask(shopper, { campaignId: strict, amount: 20, order });
    await createBy(shopper, await ask(shopper, { campaignId: strict, amount: 600, order }));
    const { json } = await admin.script(`member why ${order}`, ...merchant);

    expect(json.refusedAttempts.map(({ amountCents }: { amountCents: number }) => amountCents)).toEqual([2_000, 1_000]);
    expect(json.tokens).toMatchObject([{ campaignId: strict, state: 'SPENT', isToken: true }]);
    expect(json.transactions).toMatchObject([{ points: 600, state: 'PENDING', externalTransactionId: order }]);
  });
});

describe('the command member why, for a rewarded purchase,', () => {
  it('finds rewards by order number or token', async () => {
    const order = randomUUID();
    const asked = await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 100, order });
    const token = asked.body.data.authentication_id;
    await createBy(shopper, asked);
    const [byOrder, byToken] = [await why(order, ...merchant), await why(token)];

    expect(byOrder.out).toMatch(/Rewards\n.*\n.*\n.*200 points +PENDING/);
    expect(byOrder.out).toMatch(/Tokens of endpoint 1\n(.*\n)+.*\$100\.00 +SPENT/);
    expect(byToken.out).toBe(byOrder.out);
    expect(byOrder.out).not.toContain(token);
    expect(JSON.stringify((await admin.script(`member why ${order}`, ...merchant)).json)).not.toContain(token);
  });

  it('shows an earlier refusal beside the order', async () => {
    const order = randomUUID();
    await ask(shopper, { campaignId: strict, amount: 10, order });
    await processedOrder(world, shopper, order);
    const { out } = await why(order, ...merchant);

    expect(out).toMatch(/state +PROCESSED\n/);
    expect(out).toContain('A condition of the campaign does not hold (not_qualified).');
    expect(out).toMatch(/Flow 1 \(.+\) rewarded nothing, because its conditions did not hold:/);
  });
});

describe('the command member why, for a payment,', () => {
  const pay = async (order: string, customer: object) => {
    const paid = { payment_id: randomUUID(), amount: 2_500, currency: 'USD', order_id: order, customer };
    expect(await ingest(world, canonicalText(world, 'payment.completed', paid))).toEqual([]);
    await settleAnnounced(world);
    return paid.payment_id;
  };

  it('finds an awarded payment by order number', async () => {
    const order = randomUUID();
    const paymentId = await pay(order, { external_id: shopper.externalId });
    const { json } = await admin.script(`member why ${order}`, ...merchant);

    expect(json.payments).toMatchObject([{ paymentId, status: 'awarded', userId: shopper.id }]);
    expect(json.transactions).toMatchObject([{ points: 50, externalTransactionId: order }]);
    expect((await why(order, ...merchant)).out).toContain(`Payment ${paymentId}`);
  });

  it('says why a payment earned nothing', async () => {
    const order = randomUUID();
    const paymentId = await pay(order, { external_id: 'unknown-customer' });
    const { out } = await why(order, ...merchant);

    expect(out).toContain(`Payment ${paymentId}`);
    expect(out).toContain('No member is known for the customer.');
  });
});

describe('the command order show', () => {
  it('shows the state and the items of an order', async () => {
    const externalOrderId = randomUUID();
    const body = anOrderBody({
      user: { merchant_external_id: shopper.externalId },
      order_external_id: externalOrderId,
      line_items: [{ product_id: 'sku-1', product_name: 'Kettle', product_price: 10_000 }],
    });
    await postOrder(world, body);
    const { out } = await admin.read(`order show ${externalOrderId}`, ...merchant);

    expect(out).toMatch(/state +PENDING\n/);
    expect(out).toMatch(/sku-1 +Kettle +\$100\.00/);
  });

  it('shows the reward and the refunds of a processed order', async () => {
    const order = await processedOrder(world, shopper);
    await refundOrder(world, order, 400);
    const { json } = await admin.script(`order show ${order.externalOrderId}`, ...merchant);

    expect(json).toMatchObject({
      order: { uuid: order.uuid, state: 'PROCESSED', refundedCents: 400 },
      refunds: [{ amountCents: 400 }],
      ...{ lineItems: [], refusedAttempts: [], payments: [] },
    });
    expect(json.transactions).toHaveLength(1);
    expect((await admin.read(`order show ${order.externalOrderId}`, ...merchant)).out).toMatch(/Refunds\n/);
  });

  it('shows a purchase without an order', async () => {
    const order = randomUUID();
    await ask(shopper, { campaignId: strict, amount: 10, order });
    const { out } = await admin.read(`order show ${order}`, ...merchant);
    expect(out).toContain('not registered (endpoint 11)');
  });
});

describe('the command order settle', () => {
  it('applies a refund whose event was lost', async () => {
    const one = await processedOrder(world, shopper);
    await refundOrder(world, one, 2_700);
    const { externalOrderId } = one;
    await postRefund(world, one.uuid, { refund_external_id: randomUUID(), amount: 2_700 });
    const { json, status } = await admin.script(`order settle ${externalOrderId}`, ...merchant);
    await settleAnnounced(world);

    expect([status, json.purchase.externalTransactionId]).toEqual([0, externalOrderId]);
    expect(await world.platform.orders.find(one.uuid)).toMatchObject({ refundsAppliedCents: 5_400 });
    const audited = await admin.script('audit list');
    expect(JSON.stringify(audited.json)).toContain(`Had purchase ${externalOrderId} of merchant`);
  });
});
