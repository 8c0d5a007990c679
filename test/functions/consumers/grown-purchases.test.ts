import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { finalizeTransactions } from '../../../shared/operations/posting/finalize-transactions.ts';
import { aFlow, earning } from '../../domain/fixtures.ts';
import { forLife, runCampaign } from '../../support/campaigns.ts';
import { countStream } from '../../support/count-stream.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { canonicalText, connectAccounts, ingest } from '../../support/payment-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { comeToRest, settleBatch } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Purchases that grew after their first award: their further awards, and what limits of events count of them. */

let world: World;
let campaign: Campaign;
let twoActions: Campaign;
let shopper: Shopper;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
  const limits = [forLife('EVENTS', 1)].map((limit) => ({ ...limit, bound: 'MAXIMUM' as const }));
  campaign = await runCampaign(world, { flows: [{ ...aFlow([earning(10_000)]), limits }] });
  twoActions = await runCampaign(world, { flows: [{ ...aFlow([earning(10_000, 2), earning(20_000, 3)]), limits }] });
});
beforeEach(async () => {
  shopper = await newShopper(world);
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const settle = () => comeToRest(world, ['payment_changed', 'purchase_changed']);

/** A purchase that grows with each payment. */
function aPurchase(order_id: string = randomUUID()) {
  const payments: string[] = [];
  const event = { order_id, currency: 'USD' };
  return {
    payments,
    pay: async (amount: number) => {
      const payment_id = randomUUID();
      payments.push(payment_id);
      const paid = { ...event, payment_id, amount, customer: { external_id: shopper.externalId } };
      await ingest(world, canonicalText(world, 'payment.completed', paid));
      await settle();
    },
    refund: async (
      payment_id: string | undefined,
      amount: number,
      { id = randomUUID() as string, kind = 'completed' } = {},
    ) => {
      const refund = { payment_id, refund_id: id, amount, currency: 'USD' };
      await ingest(world, canonicalText(world, `refund.${kind}`, refund));
      await settle();
    },
    rewards: async ({ id: campaignId }: Campaign = campaign) => {
      const head = await world.platform.spend.find({
        merchantId: world.demo.merchant.id,
        externalTransactionId: order_id,
      });
      const ids = head?.transactionIds ?? [];
      const found = await world.platform.transactions.findAll(ids);
      const position = ({ id }: RewardTransaction) => ids.indexOf(id);
      return found
        .filter((one) => one.campaignId === campaignId)
        .toSorted((one, other) => position(one) - position(other));
    },
  };
}

type Purchase = ReturnType<typeof aPurchase>;

/** The reward at a position, which must exist. */
async function rewardAt({ rewards }: Purchase, position: number): Promise<RewardTransaction> {
  const found = (await rewards())[position];
  if (!found) throw new Error(`the purchase has no reward ${position}`);
  return found;
}

async function answer(leg: RewardTransaction, kind: 'confirmed' | 'rejected'): Promise<void> {
  const answered =
    kind === 'confirmed' ? { kind, references: [] } : { kind, rejectedId: leg.id, reason: 'account closed' };
  await finalizeTransactions({ legs: [leg], answer: answered }, world.platform);
  await settle();
}

/** Confirms all reversals and restorations that wait. */
async function confirmReversals(): Promise<void> {
  for await (const item of world.table.mirror.read(['transaction'])) {
    const { id, state, reverses } = item as Partial<RewardTransaction>;
    const found = reverses && state === 'PENDING' ? await world.platform.transactions.find(id ?? 0) : undefined;
    if (found) await answer(found, 'confirmed');
  }
}

/** How many events the limit counts for the member. */
async function counted({ id }: Campaign = campaign): Promise<number> {
  const member = await world.platform.members.find(shopper.id);
  return member?.usage.find(({ campaignId }) => campaignId === id)?.used ?? 0;
}

describe('the awards of a purchase that grew', () => {
  it('cover the money that is left, also when the program rejects the first award last', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await purchase.pay(2_000);
    await answer(await rewardAt(purchase, 1), 'confirmed');
    await purchase.refund(purchase.payments[1], 2_000);
    await confirmReversals();
    expect(await rewardAt(purchase, 1)).toMatchObject({ state: 'REVERSED', refunds: { points: 20 } });

    await answer(await rewardAt(purchase, 0), 'rejected');
    await confirmReversals();
    expect(await rewardAt(purchase, 1)).toMatchObject({ refunds: { points: 0 } });
    expect(await counted()).toBe(1);
  });

  it('contain those of campaigns that gave nothing for an order that was settled with others', async () => {
    const orders = [30, 40].map((amount) =>
      anOrderBody({ user: { merchant_external_id: shopper.externalId }, transaction_total: amount }),
    );
    const placed = [];
    for (const body of orders) placed.push(await orderOf(world, await postOrder(world, body)));
    await settleBatch(await Promise.all(placed.map((order) => announcementOf(world, order))), world.platform);
    expect(await world.platform.orders.find(placed[1]?.uuid ?? '')).toMatchObject({ state: 'REJECTED' });

    const order = placed[1]?.externalOrderId ?? '';
    await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 30, order }));
    await countStream(world);
    await settle();
    expect(await aPurchase(order).rewards()).toMatchObject([{ points: 30 }]);
  });
});

describe('a limit of events', () => {
  it('counts a purchase when the program rejects the first award, until the further award is taken back', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await purchase.pay(2_000);
    await answer(await rewardAt(purchase, 0), 'rejected');
    expect(await counted()).toBe(1);

    await answer(await rewardAt(purchase, 1), 'confirmed');
    expect(await rewardAt(purchase, 1)).toMatchObject({ state: 'COMPLETED', points: 20 });
    expect(await counted()).toBe(1);
    await purchase.refund(purchase.payments[0], 3_000);
    await purchase.refund(purchase.payments[1], 2_000);
    await confirmReversals();
    expect(await rewardAt(purchase, 1)).toMatchObject({ state: 'REVERSED' });
    expect(await counted()).toBe(0);
  });

  it('counts a further award if the program rejected the first award before', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await answer(await rewardAt(purchase, 0), 'rejected');
    expect(await counted()).toBe(0);
    await purchase.pay(2_000);
    expect(await rewardAt(purchase, 1)).toMatchObject({ points: 20 });
    expect(await counted()).toBe(1);
    await answer(await rewardAt(purchase, 1), 'rejected');
    expect(await counted()).toBe(0);
  });

  it('leaves a purchase no further award if another purchase has used it up meanwhile', async () => {
    const [purchase, other] = [aPurchase(), aPurchase()];
    await purchase.pay(3_000);
    await answer(await rewardAt(purchase, 0), 'rejected');
    await other.pay(1_000);
    await purchase.pay(2_000);

    expect(await purchase.rewards()).toHaveLength(1);
    expect(await other.rewards()).toMatchObject([{ points: 10 }]);
    expect(await counted()).toBe(1);
  });

  it('counts a purchase while a further award stands after an operator reversed the first', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await answer(await rewardAt(purchase, 0), 'confirmed');
    for (const amount of [2_000, 1_000]) await purchase.pay(amount);
    for (const position of [1, 2]) await answer(await rewardAt(purchase, position), 'confirmed');

    for (const [position, left] of [
      [0, 1],
      [1, 1],
      [2, 0],
    ] as const) {
      const { uuid } = await rewardAt(purchase, position);
      await reverseByOperator({ id: uuid, reason: 'Fraud' }, world.platform);
      await confirmReversals();
      expect(await counted()).toBe(left);
    }
  });

  it('counts a purchase once when its first award is restored while it grows', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await answer(await rewardAt(purchase, 0), 'confirmed');
    await purchase.refund(purchase.payments[0], 3_000);
    await confirmReversals();
    expect(await counted()).toBe(0);

    await purchase.pay(9_000);
    // The first award is restored before the purchase earns more.
    expect(await purchase.rewards()).toHaveLength(1);
    await confirmReversals();
    expect(await rewardAt(purchase, 1)).toMatchObject({ points: 60 });
    expect(await counted()).toBe(1);
  });

  it('counts a purchase with two rewards once, whatever is taken back and restored', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    for (const reward of await purchase.rewards(twoActions)) await answer(reward, 'confirmed');
    const [payment] = purchase.payments;

    for (const round of [1, 2, 3]) {
      const id = `refund-${round}`;
      await purchase.refund(payment, 3_000, { id });
      await confirmReversals();
      expect(await counted(twoActions)).toBe(0);
      await purchase.refund(payment, 3_000, { id, kind: 'failed' });
      await confirmReversals();
      expect(await counted(twoActions)).toBe(1);
      expect(await purchase.rewards(twoActions)).toMatchObject([
        { refunds: { points: 0 } },
        { refunds: { points: 0 } },
      ]);
    }
  });
});
