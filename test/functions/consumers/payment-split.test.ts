import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Order } from '../../../shared/domain/order/order.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { applyRefunds, postRefund, processedOrder } from '../../support/order-story.ts';
import {
  canonicalText,
  connectAccounts,
  ingest,
  paymentOf,
  settleAnnounced,
  stripeText,
} from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settlePayment } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

async function settle(...texts: string[]): Promise<void> {
  for (const text of texts) expect(await ingest(world, text)).toEqual([]);
  await settleAnnounced(world);
}

async function pointsOf({ id }: Pick<Shopper, 'id'>): Promise<number> {
  const member = await world.platform.members.find(id);
  return member?.memberships[0]?.availablePoints ?? 0;
}

/** A payment of an order, in cents. */
function paymentFor(shopper: Shopper, order_id: string, amount: number) {
  const payment_id = randomUUID();
  const capture_id = randomUUID();
  const text = (kind: string, detail: object) => canonicalText(world, kind, { payment_id, ...detail });
  const customer = { external_id: shopper.externalId };
  const returned = (kind: string) => (id: string, cents: number) =>
    text(kind, { [`${kind.split('.')[0]}_id`]: id, amount: cents, currency: 'USD' });
  return {
    uuid: async () => {
      const account = String(world.demo.merchant.id);
      return (await paymentOf(world, { platform: 'canonical', account, paymentId: payment_id })).uuid;
    },
    paid: text('payment.completed', { amount, currency: 'USD', order_id, customer, capture_id }),
    cancelled: text('payment.failed', { capture_id }),
    refund: returned('refund.completed'),
    failedRefund: returned('refund.failed'),
    dispute: returned('dispute.funds_withdrawn'),
  };
}

/** An order of $108 that earned 200 points, and its payments. */
async function orderPaidBy(...amounts: readonly number[]) {
  const shopper = await newShopper(world);
  const orderId = randomUUID();
  const order: Order = await processedOrder(world, shopper, orderId);
  await settle();
  const payments = amounts.map((amount) => paymentFor(shopper, orderId, amount));
  await settle(...payments.map(({ paid }) => paid));
  const [first = paymentFor(shopper, orderId, 0), second = first] = payments;
  return { shopper, order, first, second };
}

async function merchantRefund(order: Order, amount: number, refund_external_id: string = randomUUID()): Promise<void> {
  await postRefund(world, order.uuid, { refund_external_id, amount });
  await applyRefunds(world, order);
  await settle();
}

describe('an order with two payments', () => {
  it('loses only the points for the refunded payment', async () => {
    const { shopper, second } = await orderPaidBy(6_480, 4_320);

    await settle(second.refund('re_2', 4_320));

    expect(await pointsOf(shopper)).toBe(120);
  });

  it.each(['first', 'second'] as const)(
    'loses its whole reward when both payments are refunded, the %s first',
    async (one) => {
      const paidBy = await orderPaidBy(6_480, 4_320);
      const refunds = [paidBy.first.refund('re_1', 6_480), paidBy.second.refund('re_2', 4_320)];
      const [earlier = '', later = ''] = one === 'first' ? refunds : refunds.toReversed();

      await settle(earlier);
      expect(await pointsOf(paidBy.shopper)).toBe(one === 'first' ? 80 : 120);
      await settle(later);
      expect(await pointsOf(paidBy.shopper)).toBe(0);
    },
  );

  it('loses its whole reward when both payments are refunded in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { shopper, first, second } = await orderPaidBy(6_480, 4_320);
      await ingest(world, first.refund('re_1', 6_480));
      await ingest(world, second.refund('re_2', 4_320));
      const entityIds = [await first.uuid(), await second.uuid()];

      await Promise.all(entityIds.map((entityId) => settlePayment({ entityId }, world.platform)));
      await settle();

      expect(await pointsOf(shopper)).toBe(0);
    }
  });

  it('gets the points for a payment back when its refund fails', async () => {
    const { shopper, first, second } = await orderPaidBy(6_480, 4_320);

    await settle(first.refund('re_1', 6_480), second.refund('re_2', 4_320));
    expect(await pointsOf(shopper)).toBe(0);
    await settle(first.failedRefund('re_1', 6_480));
    expect(await pointsOf(shopper)).toBe(120);
    await settle(second.failedRefund('re_2', 4_320));
    expect(await pointsOf(shopper)).toBe(200);
  });

  it('loses nothing for a refund that fails while the purchase is settled', async () => {
    const { shopper, first, second } = await orderPaidBy(6_480, 4_320);
    // Each event is settled before the next one. Otherwise a payment would wait for a reversal, and the end of the
    // reversal would announce this payment again.
    await settle(first.refund('re_1', 1_080));
    await settle(second.refund('re_2', 1_080));
    await settle(second.failedRefund('re_2', 1_080));
    expect(await pointsOf(shopper)).toBe(180);
    await ingest(world, second.refund('re_3', 4_320));
    const { platform } = world;
    /** Makes the second payment's refund fail after the run for the first payment has read its data. */
    class LateFailure extends Transactions {
      #isFirst = true;
      override async findSnapshot(...all: Parameters<Transactions['findSnapshot']>) {
        const found = await super.findSnapshot(...all);
        if (this.#isFirst) {
          this.#isFirst = false;
          await settle(second.failedRefund('re_3', 4_320));
        }
        return found;
      }
    }

    const late = { ...platform, transactions: new LateFailure(platform.table) };
    await settlePayment({ entityId: await first.uuid() }, late);
    await settle();

    expect(await pointsOf(shopper)).toBe(180);
  });

  it('counts a refund once when the merchant reports it too', async () => {
    const { shopper, order, first, second } = await orderPaidBy(6_480, 4_320);

    await merchantRefund(order, 4_320);
    await settle(second.refund('re_2', 4_320));
    expect(await pointsOf(shopper)).toBe(120);
    await settle(first.refund('re_1', 2_160));
    expect(await pointsOf(shopper)).toBe(80);
    await merchantRefund(order, 2_160);
    expect(await pointsOf(shopper)).toBe(80);
    await merchantRefund(order, 4_320);
    expect(await pointsOf(shopper)).toBe(0);
  });

  it('gets the points back when a refund fails that the merchant reported too', async () => {
    const { shopper, order, first, second } = await orderPaidBy(6_480, 4_320);

    await settle(first.refund('re_1', 1_080), second.refund('re_2', 4_320));
    await merchantRefund(order, 4_320, 're_2');
    expect(await pointsOf(shopper)).toBe(100);
    await settle(second.failedRefund('re_2', 4_320));
    expect(await pointsOf(shopper)).toBe(180);
    await settle(first.refund('re_3', 1_080));
    expect(await pointsOf(shopper)).toBe(160);
  });

  it('loses the points for cancelled and disputed payments', async () => {
    const { shopper, first, second } = await orderPaidBy(6_480, 4_320);

    await settle(second.cancelled);
    expect(await pointsOf(shopper)).toBe(120);
    await settle(first.dispute('dp_1', 6_480));
    expect(await pointsOf(shopper)).toBe(0);
  });

  it('counts events of payment intent and charge as one payment', async () => {
    const { shopper, order, first: second } = await orderPaidBy(4_320);
    const id = randomUUID();
    const [payment_intent, charge] = [`pi_${id}`, `ch_${id}`];
    const captured = { amount: 6_480, currency: 'usd', metadata: { order_id: order.externalOrderId } };
    const intent = { ...captured, id: payment_intent, amount_received: 6_480 };
    const charged = { ...captured, id: charge, amount_captured: 6_480, captured: true, amount_refunded: 0 };
    const refund = { id: `re_${id}`, amount: 2_160, currency: 'usd', status: 'succeeded' };
    await settle(
      stripeText('payment_intent.succeeded', intent),
      stripeText('charge.succeeded', { ...charged, status: 'succeeded' }),
    );
    await settle(stripeText('refund.created', { ...refund, payment_intent }));
    await settle(stripeText('refund.created', { ...refund, charge }));

    await settle(stripeText('charge.succeeded', { ...charged, status: 'succeeded', payment_intent }));
    expect(await pointsOf(shopper)).toBe(160);
    await settle(second.refund('re_2', 4_320));
    expect(await pointsOf(shopper)).toBe(80);
  });

  it('loses the points for a payment once when it is refunded and disputed', async () => {
    const { shopper, first } = await orderPaidBy(6_480, 4_320);

    await settle(first.refund('re_1', 6_480), first.dispute('dp_1', 6_480));

    expect(await pointsOf(shopper)).toBe(80);
  });
});

describe('an order of which only a part was reported as payments', () => {
  it('loses the share of its reward that was refunded of the payments', async () => {
    const { shopper, first } = await orderPaidBy(6_480);

    await settle(first.refund('re_1', 3_240));
    expect(await pointsOf(shopper)).toBe(100);
    await settle(first.refund('re_2', 3_240));
    expect(await pointsOf(shopper)).toBe(0);
  });
});

describe('a purchase with a token and two payments', () => {
  it('loses points for each refunded amount', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 100, order }));
    const [first, second] = [paymentFor(shopper, order, 6_000), paymentFor(shopper, order, 4_000)];
    await settle(first.paid, second.paid);
    expect(await pointsOf(shopper)).toBe(200);

    await settle(second.refund('re_2', 4_000));
    expect(await pointsOf(shopper)).toBe(120);
    await settle(first.refund('re_1', 3_000));
    expect(await pointsOf(shopper)).toBe(60);
    await settle(first.refund('re_3', 3_000));
    expect(await pointsOf(shopper)).toBe(0);
  });
});

describe('an order of a customer without an account', () => {
  it('counts for nobody, even where a payment of it was cancelled', async () => {
    const orderId = randomUUID();
    const customer = { ...(await newShopper(world)), externalId: 'cc-1002' };
    const [kept, cancelled] = [paymentFor(customer, orderId, 5_000), paymentFor(customer, orderId, 4_000)];
    await settle(kept.paid, cancelled.paid, cancelled.cancelled);

    const found = await world.platform.payments.findOfOrder({
      merchantId: world.demo.merchant.id,
      externalOrderId: orderId,
    });
    expect(found.map(({ reason }) => reason).toSorted()).toEqual(['not_captured', 'user_not_linked']);
    expect(found.map(({ spent }) => spent)).toEqual([undefined, undefined]);
  });
});
