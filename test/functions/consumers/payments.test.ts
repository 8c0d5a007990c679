import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as countChanges } from '../../../functions/consumers/count-changes/handler.ts';
import { defaultMaximumReward } from '../../../shared/contracts/limits.ts';
import type { Payment } from '../../../shared/domain/payment/payment.ts';
import { paymentStatus } from '../../../shared/domain/payment/payment.ts';
import { listHeld } from '../../../shared/operations/ledger/review-held.ts';
import { linkPaymentCustomer } from '../../../shared/operations/payment/manage-payments.ts';
import {
  connectAccounts,
  ingest,
  paymentOf,
  settleAnnounced,
  stripeAccount,
  stripeText,
} from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
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
  readonly livemode: boolean;
}

/** The events of a card payment: by default of $100, and without a reference to a customer. */
function cardPayment(more: Partial<Card> = {}) {
  const { customer = null, metadata = {}, amount = 10_000, currency = 'usd', livemode = false } = more;
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
      ...common,
    }),
    charged: text('charge.succeeded', {
      ...{ id: chargeId, payment_intent: intentId, amount, amount_captured: amount, captured: true },
      ...{ status: 'succeeded', amount_refunded: 0 },
      ...common,
    }),
    refund: (refundId: string, refunded: number) =>
      text('refund.created', { ...named, ...{ id: refundId, amount: refunded, status: 'succeeded' } }),
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
  it('waits for its capture when its refund comes first', async () => {
    const shopper = await newShopper(world);
    const card = customerCard(shopper);

    await settle(card.refund('re_1', 4_000));
    expect(await statusOf(card.intentId)).toEqual(['waiting', 'not_captured']);
    await settle(card.charged);
    expect(await pointsOf(shopper)).toBe(120);
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
