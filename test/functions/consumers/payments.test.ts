import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as countChanges } from '../../../functions/consumers/count-changes/handler.ts';
import { defaultMaximumReward } from '../../../shared/contracts/limits.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import type { Payment } from '../../../shared/domain/payment/payment.ts';
import { paymentStatus } from '../../../shared/domain/payment/payment.ts';
import { listHeld } from '../../../shared/operations/ledger/review-held.ts';
import { linkPaymentCustomer } from '../../../shared/operations/payment/manage-payments.ts';
import { AwardClaims } from '../../../shared/store/award/claims.ts';
import { Reversals } from '../../../shared/store/ledger/reversals.ts';
import { announcementsOf, applyRefunds, postRefund, processedOrder } from '../../support/order-story.ts';
import {
  canonicalText,
  connectAccounts,
  ingest,
  paymentOf,
  settleAnnounced,
  stripeAccount,
  stripeText,
} from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settlePayment, settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});

// After all tests: balances, ledger, states, claims and events are consistent.
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

interface Card {
  readonly customer: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly amount: number;
  readonly currency: string;
  readonly tax: number;
  readonly livemode: boolean;
}

/** The events of a card payment: by default of $100, and without a reference to a customer. */
function cardPayment(more: Partial<Card> = {}) {
  const { customer = null, metadata = {}, amount = 10_000, currency = 'usd', tax = 0, livemode = false } = more;
  const id = randomUUID();
  const [intentId, chargeId] = [`pi_${id}`, `ch_${id}`];
  const common = { currency, customer, metadata };
  const named = { payment_intent: intentId, charge: chargeId, currency };
  const text = (type: string, object: object) => stripeText(type, object, { livemode });
  return {
    intentId,
    chargeId,
    succeeded: text('payment_intent.succeeded', {
      ...{ id: intentId, amount, amount_received: amount, latest_charge: chargeId },
      amount_details: { tax: { total_tax_amount: tax } },
      ...common,
    }),
    charged: text('charge.succeeded', {
      ...{ id: chargeId, payment_intent: intentId, amount, amount_captured: amount, captured: true },
      ...{ status: 'succeeded', amount_refunded: 0 },
      ...common,
    }),
    refund: (refundId: string, refunded: number, status = 'succeeded') =>
      text(status === 'failed' ? 'refund.failed' : 'refund.created', {
        ...named,
        ...{ id: refundId, amount: refunded, status },
      }),
    dispute: (type: string, status: string, disputed = amount) =>
      text(`charge.dispute.${type}`, { ...named, id: `dp_${id}`, amount: disputed, status }),
  };
}

const customerCard = ({ externalId }: Shopper, more: Partial<Card> = {}) =>
  cardPayment({ metadata: { merchant_external_id: externalId }, ...more });

/** Ingests events. Then processes the changed payments and the created transactions, until nothing is left. */
async function settle(...texts: string[]): Promise<void> {
  for (const text of texts) expect(await ingest(world, text)).toEqual([]);
  await settleAnnounced(world);
}

async function pointsOf({ id }: Pick<Shopper, 'id'>): Promise<number> {
  const member = await world.platform.members.find(id);
  return member?.memberships[0]?.availablePoints ?? 0;
}

const statusOf = async (paymentId: string) => {
  const payment = await paymentOf(world, { paymentId });
  return [paymentStatus(payment), payment.reason];
};

/** Delivers a payment to count-changes, as the stream does after the platform has decided whether it earns. */
async function countSpend(payment: Payment): Promise<void> {
  const image = marshall({ ...payment, pk: `PAYMENT#${payment.uuid}`, sk: 'PAYMENT' }, { removeUndefinedValues: true });
  await countChanges({ Records: [{ dynamodb: { NewImage: image } }] } as unknown as DynamoDBStreamEvent);
}

describe('a member’s total spend', () => {
  it.each([
    ['earned points', 10_000],
    ['is too small to earn a point', 10],
  ])('contains a payment that %s', async (_case, amount) => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper, { amount });
    await settle(card.succeeded);
    const payment = await paymentOf(world, { paymentId: card.intentId });

    await countSpend(payment);
    await countSpend(payment);

    const member = await world.platform.members.find(shopper.id);
    expect(member?.spend).toMatchObject([{ spentCents: amount }]);
  });

  it('does not contain a payment without a known member', async () => {
    const card = cardPayment();
    await settle(card.succeeded);
    expect(await paymentOf(world, { paymentId: card.intentId })).not.toHaveProperty('spent');
  });
});

describe('a payment of an absurd amount', () => {
  it('waits for a review, by the rules of a new program', async () => {
    const shopper = await newShopper(world);
    await settle(customerCard(shopper, { amount: 1_000_000_000 }).succeeded);

    expect(await pointsOf(shopper)).toBe(0);
    expect(await listHeld({ member: { id: String(shopper.id) } }, world.platform)).toMatchObject([
      {
        points: 20_000_000,
        review: { breaches: [{ rule: 'POINTS_PER_REWARD', amount: 20_000_000, most: defaultMaximumReward.points }] },
      },
    ]);
  });
});

describe('a payment', () => {
  it('earns once when several events report it', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.succeeded, card.charged, card.succeeded);

    expect(await pointsOf(shopper)).toBe(200);
    expect(await paymentOf(world, { paymentId: card.chargeId })).toMatchObject({
      paymentId: card.intentId,
      userId: shopper.id,
      transactionIds: [expect.any(Number)],
    });
  });

  it('loses points with each refund, and all points with the last refund', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.succeeded, card.refund('re_1', 4_000));
    expect(await pointsOf(shopper)).toBe(120);
    await settle(card.refund('re_2', 6_000), card.refund('re_1', 4_000));
    expect(await pointsOf(shopper)).toBe(0);
  });

  it('waits for its capture when its refund comes first', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.refund('re_1', 4_000));
    expect(await statusOf(card.intentId)).toEqual(['waiting', 'not_captured']);
    await settle(card.charged);
    expect(await pointsOf(shopper)).toBe(120);
  });

  it('gets its points back when a refund fails', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.succeeded);
    await settle(card.refund('re_1', 10_000));
    expect(await pointsOf(shopper)).toBe(0);
    await settle(card.refund('re_1', 10_000, 'failed'));
    expect(await pointsOf(shopper)).toBe(200);
  });

  it('gets its points back once when the merchant wins the dispute', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.succeeded, card.dispute('created', 'warning_needs_response'));
    expect(await pointsOf(shopper)).toBe(200);
    await settle(card.dispute('funds_withdrawn', 'needs_response'));
    expect(await pointsOf(shopper)).toBe(0);
    await settle(card.dispute('funds_reinstated', 'won'), card.dispute('closed', 'won'));
    expect(await pointsOf(shopper)).toBe(200);
  });

  it('is ignored when it moves real money and the stage is for tests', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper, { livemode: true });

    await settle(card.succeeded);

    expect(await pointsOf(shopper)).toBe(0);
    await expect(paymentOf(world, { paymentId: card.intentId })).rejects.toThrow();
  });

  it.each([
    ['jpy', 500, 0],
    ['kwd', 10_000, 3],
    ['eur', 1_099, 2],
  ])(
    'in %s is recorded exactly and earns nothing, because the currency has no rate',
    async (currency, amount, exponent) => {
      const shopper = await newShopper(world);
      const card = customerCard(shopper, { currency, amount });

      await settle(card.succeeded);

      expect(await statusOf(card.intentId)).toEqual(['recorded', 'currency_without_rate']);
      const { book } = await paymentOf(world, { paymentId: card.intentId });
      expect(Object.values(book.captures)).toMatchObject([
        { money: { amount, currency: currency.toUpperCase(), exponent } },
      ]);
    },
  );
});

describe('a payment whose worker died after a reversal', () => {
  it('gets its points back when the refund fails', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);
    await settle(card.succeeded);

    await ingest(world, card.refund('re_1', 4_000));
    const { uuid: entityId } = await paymentOf(world, { paymentId: card.intentId });
    await expect(settlePayment({ entityId }, dyingAfterTheReversal())).rejects.toThrow('the worker died');
    await settle(card.refund('re_1', 4_000, 'failed'));

    expect(await pointsOf(shopper)).toBe(200);
  });

  /** The deps of a worker that dies right after it wrote the reversal. */
  function dyingAfterTheReversal() {
    const { platform } = world;
    class Dying extends Reversals {
      override async settle(...moves: Parameters<Reversals['settle']>) {
        await super.settle(...moves);
        throw new Error('the worker died');
      }
    }
    return { ...platform, reversals: new Dying(platform.table) };
  }
});

describe('the member of a payment', () => {
  it('is found when an operator links the customer later', async () => {
    const shopper = await newShopper(world);
    const customer = `cus_${shopper.externalId}`;
    const card = cardPayment({ customer });
    await settle(card.succeeded);
    expect(await statusOf(card.intentId)).toEqual(['unclaimed', 'no_member']);

    const account = { platform: 'stripe', account: stripeAccount };
    await linkPaymentCustomer({ ...account, customerId: customer, member: { id: String(shopper.id) } }, world.platform);
    await settle();

    expect(await pointsOf(shopper)).toBe(200);
  });

  it('is known from an earlier payment of the customer', async () => {
    const shopper = await newShopper(world);
    const customer = `cus_${shopper.externalId}`;

    await settle(customerCard(shopper, { customer }).succeeded);
    await settle(cardPayment({ customer }).succeeded);

    expect(await pointsOf(shopper)).toBe(400);
  });

  it('is undefined when the references lead to two members', async () => {
    const [one, other] = [await newShopper(world), await newShopper(world)];
    const customer = `cus_${one.externalId}`;
    await settle(customerCard(one, { customer }).succeeded);

    const card = customerCard(other, { customer });
    await settle(card.succeeded);

    expect(await statusOf(card.intentId)).toEqual(['recorded', 'several_members']);
  });
});

describe('an order', () => {
  it('earns once when two payment platforms report its payment', async () => {
    const shopper = await newShopper(world);
    const order_id = randomUUID();
    const { externalId: external_id } = shopper;
    const metadata = { merchant_external_id: external_id, order_id };

    await settle(
      cardPayment({ metadata }).succeeded,
      canonicalText(world, 'payment.completed', {
        ...{ payment_id: randomUUID(), amount: 10_000, currency: 'USD', order_id, customer: { external_id } },
      }),
    );

    expect(await pointsOf(shopper)).toBe(200);
  });

  it('earns once when endpoint 11 and a payment platform report it', async () => {
    const shopper = await newShopper(world);
    const order_id = randomUUID();
    await processedOrder(world, shopper, order_id);

    await settle(cardPayment({ metadata: { order_id } }).succeeded);

    expect(await pointsOf(shopper)).toBe(200);
  });

  it('earns once when endpoint 1 and a payment platform report it', async () => {
    const shopper = await newShopper(world);
    const order = randomUUID();
    const { externalId: merchant_external_id } = shopper;
    await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 100, order }));

    await settle(cardPayment({ metadata: { order_id: order, merchant_external_id } }).succeeded);

    expect(await pointsOf(shopper)).toBe(200);
  });
});

/** A purchase of $108. Both Stripe and the merchant (with endpoint 11) report it. It earns 200 points. */
function reportedTwice(shopper: Shopper) {
  const orderId = randomUUID();
  const metadata = { merchant_external_id: shopper.externalId, order_id: orderId };
  const card = cardPayment({ metadata, amount: 10_800, tax: 800 });
  let order: Order | undefined;
  return {
    card,
    orderId,
    order: async () => {
      order = await processedOrder(world, shopper, orderId);
      await settle();
    },
    merchantRefund: async (refund_external_id: string, amount: number) => {
      if (!order) throw new Error('the order comes first');
      await postRefund(world, order.uuid, { refund_external_id, amount });
      await applyRefunds(world, order);
      await settle();
    },
  };
}

/** Every sequence in which the steps can happen. */
const permutations = <Step>(steps: readonly Step[]): Step[][] =>
  steps.length === 0
    ? [[]]
    : steps.flatMap((step, at) => permutations(steps.toSpliced(at, 1)).map((rest) => [step, ...rest]));

describe('refunds of merchant and payment platform', () => {
  type Reported = ReturnType<typeof reportedTwice>;
  type Step = (reported: Reported) => Promise<void>;
  const order: Step = (reported) => reported.order();
  const payment: Step = ({ card }) => settle(card.succeeded);
  const byPlatform =
    (id: string, amount: number, status?: string): Step =>
    ({ card }) =>
      settle(card.refund(id, amount, status));
  const byMerchant =
    (id: string, amount: number): Step =>
    ({ merchantRefund }) =>
      merchantRefund(id, amount);
  const both =
    (platforms: Step, merchants: Step): Step =>
    async (reported) => {
      await merchants(reported);
      await platforms(reported);
    };
  const withdrawn: Step = ({ card }) => settle(card.dispute('funds_withdrawn', 'needs_response', 2_160));

  it.each<[string, number, Step[]]>([
    ['count once when they have the same id', 120, [byPlatform('re_1', 4_320), byMerchant('re_1', 4_320)]],
    ['count once when they have two ids', 120, [byPlatform('re_1', 4_320), byMerchant('refund-1', 4_320)]],
    [
      'count with the merchant’s sum when that sum is larger',
      80,
      [byPlatform('re_1', 4_320), byMerchant('refund-1', 6_480)],
    ],
    [
      'count with the platform’s sum when that sum is larger',
      80,
      [byPlatform('re_1', 6_480), byMerchant('refund-1', 4_320)],
    ],
    [
      'reverse all points when both report the full amount',
      0,
      [byPlatform('re_1', 10_800), byMerchant('refund-1', 10_800)],
    ],
    ['count in addition to a dispute', 80, [withdrawn, both(byPlatform('re_1', 4_320), byMerchant('refund-1', 4_320))]],
  ])('%s, whichever report arrives first', async (_title, left, refunds) => {
    for (const [at, steps] of permutations([payment, ...refunds]).entries()) {
      const shopper = await newShopper(world);
      const reported = reportedTwice(shopper);
      for (const step of [order, ...steps]) await step(reported);
      expect([at, await pointsOf(shopper)]).toEqual([at, left]);
    }
  });

  it.each<[string, number, Step[]]>([
    [
      'count once when the order arrives after the payment and its refund',
      120,
      [payment, byPlatform('re_1', 4_320), order, byMerchant('refund-1', 4_320)],
    ],
    [
      'return the points when the platform’s refund fails',
      200,
      [order, payment, byMerchant('re_1', 4_320), byPlatform('re_1', 4_320), byPlatform('re_1', 4_320, 'failed')],
    ],
    [
      'count when the merchant refunds after the platform’s refund failed',
      120,
      [order, payment, byPlatform('re_1', 4_320), byPlatform('re_1', 4_320, 'failed'), byMerchant('cash-1', 4_320)],
    ],
    [
      'count once for each of three partial refunds',
      40,
      [
        ...[order, payment, byMerchant('a', 2_160), byPlatform('re_1', 2_160)],
        ...[byPlatform('re_2', 4_320), byMerchant('b', 4_320), byMerchant('c', 2_160), byPlatform('re_3', 2_160)],
      ],
    ],
  ])('%s', async (_title, left, steps) => {
    const shopper = await newShopper(world);
    const reported = reportedTwice(shopper);
    for (const step of steps) await step(reported);
    expect(await pointsOf(shopper)).toBe(left);
  });

  it('count once when they are processed in parallel', async () => {
    for (let round = 0; round < 5; round += 1) {
      const shopper = await newShopper(world);
      const { card, order: sendOrder, merchantRefund } = reportedTwice(shopper);
      await sendOrder();
      await settle(card.succeeded);
      await ingest(world, card.refund('re_1', 4_320));
      await Promise.all([settleAnnounced(world), merchantRefund('refund-1', 4_320)]);
      await settle();
      expect(await pointsOf(shopper)).toBe(120);
    }
  });

  it('count once when one report is processed during the other', async () => {
    const shopper = await newShopper(world);
    const { card, order: sendOrder, orderId } = reportedTwice(shopper);
    await sendOrder();
    await settle(card.succeeded);
    await ingest(world, card.refund('re_1', 4_320));
    const { platform, demo } = world;
    const sent = await platform.orders.findByExternalId({ merchantId: demo.merchant.id, externalOrderId: orderId });
    if (!sent) throw new Error('there is no order');
    await postRefund(world, sent.uuid, { refund_external_id: 'refund-1', amount: 4_320 });
    /** Lets the payment be processed right after the merchant's refund has read the claims. */
    class LateClaims extends AwardClaims {
      #isFirst = true;
      override async findUnder(...query: Parameters<AwardClaims['findUnder']>) {
        const found = await super.findUnder(...query);
        if (this.#isFirst) await settleAnnounced(world);
        this.#isFirst = false;
        return found;
      }
    }

    const [event] = await announcementsOf(world, sent.uuid, 'refund_received');
    if (!event) throw new Error('no refund was announced');
    await settleRefund(event, { ...platform, claims: new LateClaims(platform.table) });
    await settle();

    expect(await pointsOf(shopper)).toBe(120);
    expect((await platform.orders.find(sent.uuid))?.refundsAppliedCents).toBe(4_320);
  });

  it('reverse the reward of a late order', async () => {
    const shopper = await newShopper(world);
    const { card, order: sendOrder } = reportedTwice(shopper);
    await ingest(world, card.succeeded);
    await ingest(world, card.refund('re_1', 10_800));
    await sendOrder();
    await settle();
    expect(await pointsOf(shopper)).toBe(0);
  });
});

describe('a payment event', () => {
  it('is rejected with the reason when it cannot be read', async () => {
    const text = stripeText('payment_intent.succeeded', { id: 'pi_1', amount: 'much' });
    expect(await ingest(world, text)).toEqual([
      { body: text, reason: expect.stringContaining('payment_intent/amount') },
    ]);
    expect(await ingest(world, 'no JSON')).toMatchObject([{ reason: 'The event is no JSON.' }]);
  });

  it('is acknowledged with a receipt when its type or account is unknown', async () => {
    expect(await ingest(world, stripeText('charge.rejuvenated', { id: 'ch_1' }))).toEqual([]);
    const foreign = stripeText('charge.rejuvenated', { id: 'ch_1' }, { account: 'acct_foreign' });
    expect(await ingest(world, foreign)).toEqual([]);

    const day = new Date().toISOString().slice(0, 10);
    const types = async (merchantId: number | null) =>
      (await world.platform.paymentReceipts.of(merchantId, day)).map(({ type, outcome }) => `${type} ${outcome}`);
    expect(await types(world.demo.merchant.id)).toContain('charge.rejuvenated ignored');
    expect(await types(null)).toContain('charge.rejuvenated unknown_account');
  });
});
