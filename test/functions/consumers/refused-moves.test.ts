import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { standingOf } from '../../../shared/domain/purchase/settle.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import {
  answer,
  answerFor,
  confirmAll,
  findDue,
  GrowingPurchase,
  makeGrowthWorld,
  settleAll,
  waitingLegs,
} from '../../support/growing-purchase.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper } from '../../support/shoppers.ts';
import type { World } from '../../support/world.ts';

/** Reversals and restorations that the program rejected: they are not tried again until the purchase changes. */

let world: World;
let one: Campaign;
let purchase: GrowingPurchase;
beforeAll(async () => {
  ({ world, one } = await makeGrowthWorld(1));
});
beforeEach(async () => {
  purchase = new GrowingPurchase(world, await newShopper(world));
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

const first = () => purchase.reward(one, 0);
const further = () => purchase.reward(one, 1);

/** The points that stand of each reward. */
const standing = async () => (await purchase.rewards(one)).map((reward) => standingOf(reward).points);

/** Lets the program confirm everything except the first award and what moves the further one. */
async function confirmOthers(): Promise<void> {
  const own = (await purchase.rewards(one)).map(({ id }) => id);
  const legs = (await waitingLegs(world)).filter(({ id, reverses }) => !own.includes(reverses?.id ?? id));
  for (const leg of legs) await answer(world, leg, 'confirmed');
  if (legs.length > 0) await confirmOthers();
}

/** A purchase with an award of 30 points without an answer, and a further award of 20 points. */
async function payTwice(): Promise<void> {
  await purchase.pay(3_000);
  await purchase.pay(2_000);
  await answer(world, await further(), 'confirmed');
  await confirmOthers();
}

it('tries a move again when the statements have changed, and changed back: a dispute is won and then lost', async () => {
  await purchase.pay(3_000);
  await confirmAll(world);
  await purchase.dispute(0, 3_000, 'funds_withdrawn');
  await answerFor(world, await first(), 'rejected');
  await purchase.dispute(0, 3_000, 'won');
  await confirmAll(world);
  await purchase.dispute(0, 3_000, 'lost');
  await answerFor(world, await first(), 'rejected');
  expect(await waitingLegs(world, await first())).toEqual([]);
  expect(await standing()).toEqual([30]);
});

it('tries a move again when a report of the same money arrived before the program rejected it', async () => {
  await purchase.pay(3_000);
  await confirmAll(world);
  await purchase.refund(0, 2_000);
  await purchase.refund(0, 1_000, { kind: 'failed' });
  await answerFor(world, await first(), 'rejected');
  await confirmAll(world);
  expect(await standing()).toEqual([10]);
  expect(await findDue(world, purchase, [one])).toEqual([]);
});

it('forgets the rejection of an earlier move when the next one begins: it waits for an award that fails meanwhile', async () => {
  await payTwice();
  await purchase.refund(1, 500);
  await answerFor(world, await further(), 'rejected');
  await purchase.refund(1, 1_500);
  await confirmOthers();
  await answer(world, await first(), 'rejected');
  await answerFor(world, await further(), 'confirmed');
  await confirmAll(world);
  expect(await standing()).toEqual([30, 20]);
  expect(await findDue(world, purchase, [one])).toEqual([]);
});

it('does not take the rejection of an operator’s reversal for the one of a move', async () => {
  await payTwice();
  await purchase.refund(1, 1_000);
  await answerFor(world, await further(), 'confirmed');
  await reverseByOperator({ id: (await further()).uuid, reason: 'Fraud' }, world.platform);
  await settleAll(world);
  await answerFor(world, await further(), 'rejected');
  await answer(world, await first(), 'rejected');
  await confirmAll(world);
  expect(await standing()).toEqual([30, 20]);
});

it('does not repeat a rejected move because an operator’s reversal was rejected, too', async () => {
  await purchase.pay(3_000);
  await confirmAll(world);
  await purchase.refund(0, 1_000);
  await answerFor(world, await first(), 'rejected');
  await reverseByOperator({ id: (await first()).uuid, reason: 'Fraud' }, world.platform);
  await settleAll(world);
  await answerFor(world, await first(), 'rejected');
  expect(await waitingLegs(world, await first())).toEqual([]);
  expect(await standing()).toEqual([30]);
});

it('tries a move to another target: an award fails after the program rejected the reversal of the further one', async () => {
  await payTwice();
  await purchase.refund(1, 2_000);
  await purchase.refund(0, 2_500);
  await confirmOthers();
  while ((await waitingLegs(world, await further())).length > 0) await answerFor(world, await further(), 'rejected');
  expect(await standing()).toEqual([30, 20]);
  await answer(world, await first(), 'rejected');
  await confirmAll(world);
  expect(await standing()).toEqual([30, 5]);
});
