import { randomUUID } from 'node:crypto';

import { beforeAll, expect, it } from 'vitest';
import type { InternalEvent } from '../../../shared/contracts/events.ts';
import type { Order } from '../../../shared/domain/order/order.ts';
import { changePartnership } from '../../support/campaigns.ts';
import { countStream } from '../../support/count-stream.ts';
import { fc } from '../../support/fast-check.ts';
import { anOrderBody, confirmAll, orderOf, postOrder, postRefund } from '../../support/order-story.ts';
import { reconcile } from '../../support/reconcile.ts';
import { settleOrder, settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';

/**
 * Random histories of one order, in any sequence: the order is rewarded, tokens earn or pay with points for the same
 * purchase, and the merchant refunds parts. After the full refund, the member has the initial balance.
 */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await changePartnership(world, { reversalPolicy: 'unlimited' });
});

/** Four parts of $27 make the order's $108. */
const partCents = 2_700;
const parts = 4;

type Step = 'reward' | 'earn' | 'redeem' | 'refund' | 'handle' | 'answer';
const histories = fc.shuffledSubarray<Step>(
  [
    'reward',
    'earn',
    'redeem',
    ...Array<Step>(parts - 1).fill('refund'),
    'handle',
    'handle',
    'handle',
    'answer',
    'answer',
  ],
  { minLength: 6 },
);

/** One order of one shopper and its steps. */
class Story {
  #refunds = 0;
  readonly #shopper: Shopper;
  readonly #order: Order;

  constructor(shopper: Shopper, order: Order) {
    this.#shopper = shopper;
    this.#order = order;
  }

  step(step: Step): Promise<unknown> {
    switch (step) {
      case 'reward':
        return this.reward();
      case 'earn':
        return this.#spend(world.demo.campaigns.earn);
      case 'redeem':
        return this.#spend(world.demo.campaigns.redeem);
      case 'refund':
        return this.refund();
      case 'handle':
        return this.handle();
      case 'answer':
        return this.answer();
    }
  }

  async reward(): Promise<void> {
    await settleOrder(this.#told('order_received'), world.platform);
  }

  /** Pays or earns with a token. Endpoint 1 refuses the token when the order itself was rewarded. */
  async #spend(campaignId: number): Promise<void> {
    const answer = await ask(this.#shopper, { campaignId, amount: 20, order: this.#order.externalOrderId });
    if (answer.body.data.authentication_status === 1) await createBy(this.#shopper, answer);
  }

  async refund(): Promise<void> {
    if (this.#refunds === parts) return;
    this.#refunds += 1;
    const body = { refund_external_id: `part ${this.#refunds}`, amount: partCents };
    expect((await postRefund(world, this.#order.uuid, body)).status).toBe(200);
  }

  async handle(): Promise<void> {
    await settleRefund(this.#told('refund_received'), world.platform);
  }

  /** An event about the order, made here because a search in the table is slow. */
  #told(name: InternalEvent['name']): InternalEvent {
    const { uuid: entityId, createdAt: occurredAt } = this.#order;
    return { id: randomUUID(), name, entityId, occurredAt };
  }

  /** Lets the program confirm every pending transaction, and settles what its answers announce. */
  answer(): Promise<void> {
    return confirmAll(world);
  }

  /** Performs the remaining steps up to the full refund. */
  async end(): Promise<void> {
    await this.reward();
    await this.answer();
    while (this.#refunds < parts) await this.refund();
    await this.handle();
    await countStream(world);
    await this.answer();
  }
}

it('a full refund takes back all earned points and returns all paid points', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const shopper = await newShopper(world, 5_000);
      const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: randomUUID() });
      const order = await orderOf(world, await postOrder(world, body));
      const story = new Story(shopper, order);
      for (const step of steps) await story.step(step);
      await story.end();

      expect(await world.platform.orders.find(order.uuid)).toMatchObject({ state: 'REFUNDED' });
      const member = await world.platform.members.find(shopper.id);
      expect(member?.memberships).toMatchObject([{ availablePoints: 5_000, heldPoints: 0 }]);
    }),
    { numRuns: 8 },
  );
  expect(await reconcile(world.table)).toEqual([]);
}, 120_000);
