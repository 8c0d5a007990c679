import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { countStream } from '../../support/count-stream.ts';
import {
  answer,
  answerFor,
  confirmAll,
  countedEvents,
  findDue,
  GrowingPurchase,
  makeGrowthWorld,
  settleAll,
  waitingLegs,
} from '../../support/growing-purchase.ts';
import { announcementOf, anOrderBody, orderOf, postOrder } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleBatch } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import type { World } from '../../support/world.ts';

/** Purchases that grew after their first award: their further awards, and what a limit of one event counts of them. */

let world: World;
let one: Campaign;
let two: Campaign;
let shopper: Shopper;
beforeAll(async () => {
  ({ world, one, two } = await makeGrowthWorld(1));
});
beforeEach(async () => {
  shopper = await newShopper(world);
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const aPurchase = (orderId?: string) => new GrowingPurchase(world, shopper, orderId);
const counted = (campaign: Campaign = one) => countedEvents(world, shopper, campaign);
const voided = async (purchase: GrowingPurchase, position: number) => {
  const { uuid } = await purchase.reward(one, position);
  await reverseByOperator({ id: uuid, reason: 'Fraud' }, world.platform);
  await settleAll(world);
};

/**
 * A purchase whose first award was reversed, and counted the event alone. The program rejected its restoration, so the
 * further award counts the event.
 */
async function withRefusedFirst(refundId: string): Promise<GrowingPurchase> {
  const purchase = aPurchase();
  await purchase.pay(3_000);
  await confirmAll(world);
  await purchase.refund(0, 3_000, { id: refundId });
  await confirmAll(world);
  await purchase.pay(9_000);
  const first = await purchase.reward(one, 0);
  while ((await waitingLegs(world, first)).length > 0) await answerFor(world, first, 'rejected');
  await confirmAll(world);
  return purchase;
}

/** A purchase with two rewards of one event: the first counts it, the further award was reversed. */
async function withReversedFurther(refundId: string): Promise<GrowingPurchase> {
  const purchase = aPurchase();
  await purchase.pay(3_000);
  await purchase.pay(2_000);
  await confirmAll(world);
  await purchase.refund(1, 2_000, { id: refundId });
  await confirmAll(world);
  return purchase;
}

describe('the awards of a purchase that grew', () => {
  it('cover the money that is left, also when the program rejects the first award last', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await purchase.pay(2_000);
    await answer(world, await purchase.reward(one, 1), 'confirmed');
    await purchase.refund(1, 2_000);
    await answerFor(world, await purchase.reward(one, 1), 'confirmed');
    expect(await purchase.reward(one, 1)).toMatchObject({ state: 'REVERSED', refunds: { points: 20 } });

    await answer(world, await purchase.reward(one, 0), 'rejected');
    await confirmAll(world);
    expect(await purchase.reward(one, 1)).toMatchObject({ refunds: { points: 0 } });
    expect(await counted()).toBe(1);
  });

  it('contain those of campaigns that gave nothing for an order that was settled with others', async () => {
    const placed = [];
    for (const transaction_total of [30, 40]) {
      const user = { merchant_external_id: shopper.externalId };
      placed.push(await orderOf(world, await postOrder(world, anOrderBody({ user, transaction_total }))));
    }
    await settleBatch(await Promise.all(placed.map((order) => announcementOf(world, order))), world.platform);
    expect(await world.platform.orders.find(placed[1]?.uuid ?? '')).toMatchObject({ state: 'REJECTED' });

    const order = placed[1]?.externalOrderId ?? '';
    await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.earn, amount: 30, order }));
    await countStream(world);
    await settleAll(world);
    expect(await aPurchase(order).rewards(one)).toMatchObject([{ points: 30 }]);
  });

  it('are made when the program rejects the restoration that they waited for, which is not repeated for ever', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await confirmAll(world);
    await purchase.refund(0, 3_000);
    await confirmAll(world);
    await purchase.pay(9_000);
    expect(await purchase.rewards(one)).toHaveLength(1);

    const first = await purchase.reward(one, 0);
    const due = await findDue(world, purchase, [one]);
    expect(due.filter(({ what }) => what.includes(`${one.id} without`))).toEqual([]);
    let rejected = 0;
    for (; rejected < 5 && (await waitingLegs(world, first)).length > 0; rejected += 1) {
      await answerFor(world, first, 'rejected');
    }
    // The claims of the first payment were brought up to date meanwhile, so the statements changed once.
    expect(rejected).toBeLessThanOrEqual(2);
    expect(await purchase.reward(one, 1)).toMatchObject({ points: 60 });
  });

  it('are not lost while a second reversal of a restored award waits', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    for (const [id, kind] of [
      ['lost', 'completed'],
      ['lost', 'failed'],
    ] as const) {
      await confirmAll(world);
      await purchase.refund(0, 3_000, { id, kind });
    }
    await confirmAll(world);
    await purchase.refund(0, 3_000);
    await purchase.pay(9_000);
    await confirmAll(world);

    const left = (await purchase.rewards(one)).map(({ points, refunds }) => points - (refunds?.points ?? 0));
    expect(left.reduce((sum, points) => sum + points, 0)).toBe(90);
    expect(await counted()).toBe(1);
  });
});

describe('a limit of events', () => {
  it('counts a purchase when the program rejects the first award, until the further award is taken back', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await purchase.pay(2_000);
    await answer(world, await purchase.reward(one, 0), 'rejected');
    expect(await counted()).toBe(1);

    await answer(world, await purchase.reward(one, 1), 'confirmed');
    expect(await purchase.reward(one, 1)).toMatchObject({ state: 'COMPLETED', points: 20 });
    await purchase.refund(0, 3_000);
    await purchase.refund(1, 2_000);
    await confirmAll(world);
    expect(await purchase.reward(one, 1)).toMatchObject({ state: 'REVERSED' });
    expect(await counted()).toBe(0);
  });

  it('counts a further award if the program rejected the first award before', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await answer(world, await purchase.reward(one, 0), 'rejected');
    expect(await counted()).toBe(0);
    await purchase.pay(2_000);
    expect(await counted()).toBe(1);
    await answer(world, await purchase.reward(one, 1), 'rejected');
    expect(await counted()).toBe(0);
  });

  it('leaves a purchase no further award if another purchase has used it up meanwhile', async () => {
    const [purchase, other] = [aPurchase(), aPurchase()];
    await purchase.pay(3_000);
    await answer(world, await purchase.reward(one, 0), 'rejected');
    await other.pay(1_000);
    await purchase.pay(2_000);

    expect(await purchase.rewards(one)).toHaveLength(1);
    expect(await other.rewards(one)).toMatchObject([{ points: 10 }]);
    expect(await counted()).toBe(1);
  });

  it('counts a purchase while a further award stands after an operator reversed the first', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    for (const amount of [2_000, 1_000]) await purchase.pay(amount);
    await confirmAll(world);

    for (const [position, left] of [
      [0, 1],
      [1, 1],
      [2, 0],
    ] as const) {
      await voided(purchase, position);
      await confirmAll(world);
      expect(await counted()).toBe(left);
    }
  });

  it('counts a purchase with two rewards once, whatever is taken back and restored', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await confirmAll(world);
    for (const id of ['1', '2', '3']) {
      await purchase.refund(0, 3_000, { id });
      await confirmAll(world);
      expect(await counted(two)).toBe(0);
      await purchase.refund(0, 3_000, { id, kind: 'failed' });
      await confirmAll(world);
      expect(await counted(two)).toBe(1);
    }
  });

  it('counts nothing when the first award ends and the restoration of the other is rejected', async () => {
    const purchase = await withReversedFurther('c');
    await purchase.refund(1, 2_000, { id: 'c', kind: 'failed' });
    await voided(purchase, 0);
    await answerFor(world, await purchase.reward(one, 0), 'confirmed');
    await answerFor(world, await purchase.reward(one, 1), 'rejected');
    expect(await counted()).toBe(0);
  });

  it('counts the one of two restored rewards whose restoration is confirmed', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await confirmAll(world);
    await purchase.refund(0, 3_000, { id: 'b' });
    await confirmAll(world);
    await purchase.refund(0, 3_000, { id: 'b', kind: 'failed' });
    await answerFor(world, await purchase.reward(two, 0), 'rejected');
    await answerFor(world, await purchase.reward(two, 1), 'confirmed');
    expect(await counted(two)).toBe(1);
  });
});

describe('a limit of events counts a purchase once', () => {
  it('when a restoration begins while the award that counts it is rejected', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await purchase.pay(2_000);
    await answer(world, await purchase.reward(one, 1), 'confirmed');
    await purchase.refund(1, 2_000, { id: 'r' });
    await answerFor(world, await purchase.reward(one, 1), 'confirmed');
    const restoring = () => purchase.refund(1, 2_000, { id: 'r', kind: 'failed' });
    await answer(world, await purchase.reward(one, 0), 'rejected', restoring);
    await answerFor(world, await purchase.reward(one, 1), 'confirmed');
    expect(await counted()).toBe(1);
  });

  it('when two restorations end at the same time', async () => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await confirmAll(world);
    await purchase.refund(0, 3_000, { id: 'r2' });
    await confirmAll(world);
    await purchase.refund(0, 3_000, { id: 'r2', kind: 'failed' });
    const [first, second] = await purchase.rewards(two);
    await answerFor(world, first, 'confirmed', () => answerFor(world, second, 'confirmed'));
    expect(await counted(two)).toBe(1);
  });

  it('when a restoration ends while the award that counts it ends', async () => {
    const purchase = await withReversedFurther('r3');
    await voided(purchase, 0);
    await purchase.refund(1, 2_000, { id: 'r3', kind: 'failed' });
    const [first, further] = await purchase.rewards(one);
    await answerFor(world, first, 'confirmed', () => answerFor(world, further, 'confirmed'));
    expect(await counted()).toBe(1);
  });

  it.each(['rejected', 'confirmed'] as const)('when the purchase grows while its first award is %s', async (kind) => {
    const purchase = aPurchase();
    await purchase.pay(3_000);
    await answer(world, await purchase.reward(one, 0), kind, () => purchase.pay(2_000));
    expect(await purchase.rewards(one)).toHaveLength(2);
    expect(await counted()).toBe(1);
  });

  it('when a reward that knew of no other one is restored, and ends before a further award that was restored', async () => {
    const purchase = await withRefusedFirst('k');
    await purchase.refund(1, 9_000, { id: 'l' });
    await confirmAll(world);
    expect(await counted()).toBe(0);
    await purchase.refund(0, 3_000, { id: 'k', kind: 'failed' });
    await confirmAll(world);
    // The rest is gone, so the purchase does not grow: a third award would let the first one know the others.
    await purchase.refund(1, 3_000);
    await purchase.refund(1, 9_000, { id: 'l', kind: 'failed' });
    await confirmAll(world);
    expect(await purchase.rewards(one)).toHaveLength(2);
    expect(await counted()).toBe(1);
    await voided(purchase, 0);
    await confirmAll(world);
    expect(await purchase.reward(one, 1)).toMatchObject({ refunds: { points: 0 } });
    expect(await counted()).toBe(1);
  });

  it('when a reward that counted it alone before inherits it, and ends before another one', async () => {
    const purchase = await withRefusedFirst('m');
    await purchase.refund(0, 3_000, { id: 'm', kind: 'failed' });
    await confirmAll(world);
    for (const position of [1, 0]) {
      await voided(purchase, position);
      await confirmAll(world);
      expect(await counted()).toBe(1);
    }
    expect(await purchase.reward(one, 2)).toMatchObject({ state: 'COMPLETED' });
  });

  it('when the purchase grows while a restoration waits, and the award that counts it ends first', async () => {
    const purchase = await withReversedFurther('n');
    await purchase.refund(1, 2_000, { id: 'n', kind: 'failed' });
    await purchase.pay(1_000);
    await voided(purchase, 0);
    await answerFor(world, await purchase.reward(one, 0), 'confirmed');
    await confirmAll(world);
    expect(await purchase.rewards(one)).toMatchObject([{ points: 30 }, { points: 20 }, { points: 10 }]);
    expect(await counted()).toBe(1);
  });
});
