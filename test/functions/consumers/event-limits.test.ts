import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { isStanding } from '../../../shared/domain/ledger/reward-transaction.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { Random } from '../../soak/random.ts';
import {
  answer,
  countedEvents,
  findDue,
  GrowingPurchase,
  makeGrowthWorld,
  settleAll,
  waitingLegs,
} from '../../support/growing-purchase.ts';
import { reconcile } from '../../support/reconcile.ts';
import { newShopper } from '../../support/shoppers.ts';
import type { World } from '../../support/world.ts';

/**
 * Random payments, refunds, failed refunds, disputes, operators' reversals and answers of the program, of two purchases of
 * a member. At the end, a limit counts exactly the purchases of which something stands, and no move is due.
 */

let world: World;
let campaigns: readonly Campaign[];
beforeAll(async () => {
  const made = await makeGrowthWorld(3);
  world = made.world;
  campaigns = [made.one, made.two];
});

afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

interface Refund {
  readonly purchase: GrowingPurchase;
  readonly position: number;
  readonly amount: number;
  readonly id: string;
}

class History {
  readonly #random: Random;
  readonly #purchases: readonly GrowingPurchase[];
  readonly #paid = new Map<GrowingPurchase, number[]>();
  readonly #refunds: Refund[] = [];
  readonly #disputed = new Map<GrowingPurchase, number>();

  constructor(seed: number, purchases: readonly GrowingPurchase[]) {
    this.#random = new Random(seed);
    this.#purchases = purchases;
  }

  async step(): Promise<void> {
    const purchase = this.#random.pick(this.#purchases);
    if (!purchase) return;
    const paid = this.#paid.get(purchase) ?? [];
    const act = this.#random.weighted([
      [paid.length === 0 ? 9 : paid.length < 4 ? 2 : 0, () => this.#pay(purchase, paid)],
      [2, () => this.#refund(purchase, paid)],
      [1, () => this.#failRefund()],
      [1, () => this.#dispute(purchase, paid)],
      [1, () => this.#void(purchase)],
      [4, async () => void (await this.answerOne(0.3))],
    ]);
    await act?.();
  }

  async #pay(purchase: GrowingPurchase, paid: readonly number[]): Promise<void> {
    const amount = 1_000 * this.#random.between(1, 5);
    this.#paid.set(purchase, [...paid, amount]);
    await purchase.pay(amount);
  }

  async #refund(purchase: GrowingPurchase, paid: readonly number[]): Promise<void> {
    const position = this.#random.between(0, Math.max(0, paid.length - 1));
    const gone = this.#refunds.filter((one) => one.purchase === purchase && one.position === position);
    const left = (paid[position] ?? 0) - gone.reduce((sum, { amount }) => sum + amount, 0);
    if (left === 0) return;
    const amount = this.#random.chance(0.3) ? 1_000 : left;
    const id = `refund-${this.#random.next()}`;
    this.#refunds.push({ purchase, position, amount, id });
    await purchase.refund(position, amount, { id });
  }

  async #failRefund(): Promise<void> {
    const [refund] = this.#refunds.splice(this.#random.between(0, this.#refunds.length), 1);
    if (refund) await refund.purchase.refund(refund.position, refund.amount, { id: refund.id, kind: 'failed' });
  }

  /** A dispute of the first payment is won, and then lost. */
  async #dispute(purchase: GrowingPurchase, [amount]: readonly number[]): Promise<void> {
    const reported = this.#disputed.get(purchase) ?? 0;
    const stage = (['funds_withdrawn', 'won', 'lost'] as const)[reported];
    if (amount === undefined || stage === undefined) return;
    this.#disputed.set(purchase, reported + 1);
    await purchase.dispute(0, amount, stage);
  }

  async #void(purchase: GrowingPurchase): Promise<void> {
    const rewards = (await Promise.all(campaigns.map((campaign) => purchase.rewards(campaign)))).flat();
    const reward = this.#random.pick(rewards.filter(({ state }) => state === 'COMPLETED' || state === 'REVERSED'));
    // It is refused while a reversal waits, or if nothing is left.
    if (reward) await reverseByOperator({ id: reward.uuid, reason: 'Fraud' }, world.platform).catch(() => {});
    await settleAll(world);
  }

  /** Answers for one transaction that waits. Other steps may run meanwhile. Returns whether there is one. */
  async answerOne(rejected: number): Promise<boolean> {
    const leg = this.#random.pick(await waitingLegs(world));
    const meanwhile = rejected > 0 && this.#random.chance(0.2) ? () => this.step() : undefined;
    if (leg) await answer(world, leg, this.#random.chance(rejected) ? 'rejected' : 'confirmed', meanwhile);
    return leg !== undefined;
  }
}

it.each(Array.from({ length: 24 }, (_, position) => position + 1))('seed %i', async (seed) => {
  const shopper = await newShopper(world);
  const purchases = [new GrowingPurchase(world, shopper), new GrowingPurchase(world, shopper)];
  const history = new History(seed, purchases);
  for (let step = 0; step < 16; step += 1) await history.step();
  let answers = 0;
  while (await history.answerOne(answers < 20 ? 0.25 : 0)) answers += 1;

  for (const campaign of campaigns) {
    const rewards = await Promise.all(purchases.map((purchase) => purchase.rewards(campaign)));
    const standing = rewards.filter((own) => own.some(isStanding)).length;
    expect(await countedEvents(world, shopper, campaign)).toBe(standing);
  }
  for (const purchase of purchases) expect(await findDue(world, purchase, campaigns)).toEqual([]);
});
