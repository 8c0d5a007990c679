import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BusEvent, InternalEvent, PlatformEvent } from '../../../shared/contracts/events.ts';
import { reverseByOperator } from '../../../shared/operations/ledger/manage-transactions.ts';
import { finalizeTransactions } from '../../../shared/operations/posting/finalize-transactions.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { settlePurchase } from '../../../shared/operations/purchase/settle-purchase.ts';
import { countChanges } from '../../../shared/operations/stream/count-changes.ts';
import { claimKey } from '../../../shared/store/award/claims.ts';
import { Reversals } from '../../../shared/store/ledger/reversals.ts';
import { TotalsCounter } from '../../../shared/store/ledger/totals.ts';
import { SpendCounter } from '../../../shared/store/member/spend.ts';
import { orderKey } from '../../../shared/store/order/orders.ts';
import { fc } from '../../support/fast-check.ts';
import { anOrderBody, postOrder, postRefund } from '../../support/order-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { canonicalText, connectAccounts, ingest } from '../../support/payment-story.ts';
import { readBooks, reconcile } from '../../support/reconcile.ts';
import { settleOrder, settlePayment, settleRefund } from '../../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** What points pay of a purchase earns nothing and does not count as spend, whichever report comes first. */

let world: World;
let [earnId, redeemId] = [0, 0];
beforeAll(async () => {
  world = await makeWorld();
  ({ earn: earnId, redeem: redeemId } = world.demo.campaigns);
  await connectAccounts(world);
});

let shopper: Shopper;
let order: string;
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
  order = randomUUID();
});
afterEach(async () => expect(await reconcile(world.table)).toEqual([]));

/** Asks endpoint 1 for a token and spends it at endpoint 2. Returns the status of endpoint 1. */
async function spend(campaignId: number, amount: number): Promise<number> {
  const answer = await ask(shopper, { campaignId, amount, order });
  const status = answer.body.data.authentication_status;
  if (status === 1) await createBy(shopper, answer);
  return status;
}

/** Reports the order: $108, of which $100 may earn two points for each dollar. */
const report = async () => {
  const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: order });
  expect((await postOrder(world, body)).status).toBe(200);
};

const refund = async (amount: number) => {
  const found = await world.platform.orders.findByExternalId(keys().order);
  await postRefund(world, found?.uuid ?? '', { refund_external_id: randomUUID(), amount });
};

const keys = () => {
  const { id: merchantId } = world.demo.merchant;
  return {
    order: { merchantId, externalOrderId: order },
    claims: [earnId, redeemId].map((campaignId) => ({ merchantId, campaignId, externalTransactionId: order })),
  };
};

const claimKeyOfEarning = () => ({
  merchantId: world.demo.merchant.id,
  campaignId: earnId,
  externalTransactionId: order,
});

const handled = new Set<string>();

/** Handles events as the platform's consumers do, until there are no more. */
async function settle(): Promise<void> {
  for (;;) {
    const due = (await outboxEvents(world)).filter(({ id }) => !handled.has(id));
    if (due.length === 0) return;
    for (const event of due) {
      handled.add(event.id);
      await handle(event);
    }
  }
}

/** Takes the events of a name that nobody has handled yet. */
async function takeNew(name: BusEvent['name']): Promise<BusEvent[]> {
  const found = (await outboxEvents(world)).filter((event) => event.name === name && !handled.has(event.id));
  for (const { id } of found) handled.add(id);
  return found;
}

async function handleNew(name: BusEvent['name']): Promise<void> {
  for (const event of await takeNew(name)) await handle(event);
}

async function handle(event: BusEvent): Promise<void> {
  if (event.name === 'order_received') await settleOrder(InternalEvent.parse(event), world.platform);
  if (event.name === 'payment_changed') await settlePayment(event, world.platform);
  if (event.name === 'refund_received') await settleRefund(InternalEvent.parse(event), world.platform);
  if (event.name === 'purchase_changed') await settlePurchase(InternalEvent.parse(event), world.platform);
  if (event.name === 'transaction_created') await syncWithProgram(PlatformEvent.parse(event), world.platform);
}

/** Delivers the claims and the order to the counters, as the stream does. */
async function count(): Promise<void> {
  const { claims, order: key } = keys();
  const items = await world.platform.table.getAll([...claims.map(claimKey), orderKey(key)]);
  await countChanges(items, { ...world.platform, totals: new TotalsCounter(world.platform.table) });
}

/** The available points of the member, and the member's spend. */
async function outcome() {
  const member = await world.platform.members.find(shopper.id);
  return [
    member?.memberships.map(({ availablePoints }) => availablePoints)[0],
    member?.spend.map(({ spentCents }) => spentCents)[0] ?? 0,
  ];
}

describe('the part of an order paid with points', () => {
  it('earns nothing when the points are paid before the order is rewarded', async () => {
    await spend(redeemId, 27);
    await settle();
    await report();
    await settle();
    await count();
    expect(await outcome()).toEqual([5_000 - 2_700 + 150, 7_500]);
  });

  it('is returned although the run that announces it loses twice to refunds', async () => {
    await report();
    await settle();
    await count();
    await spend(redeemId, 27);
    await handleNew('transaction_created');
    let losses = 0;
    class Slow extends Reversals {
      override async settle(...all: Parameters<Reversals['settle']>) {
        losses += 1;
        if (losses <= 2) {
          await refund(100);
          await handleNew('refund_received');
        }
        await super.settle(...all);
      }
    }
    const slow = { ...world.platform, reversals: new Slow(world.platform.table) };
    for (const event of await takeNew('purchase_changed')) await settlePurchase(InternalEvent.parse(event), slow);
    await settle();

    const key = { merchantId: world.demo.merchant.id, externalTransactionId: order };
    expect(Object.values((await world.platform.spend.find(key))?.paid ?? {})).toEqual([2_700]);
  });

  it.each([
    [108, /state +REJECTED: Points have paid the whole purchase, .* \(paid_with_points\)\n/],
    [108, /paid +\$108\.00, all of it with points: what points pay earns nothing\n/],
    [27, /paid +\$108\.00, \$27\.00 of it with points; \$75\.00 of it can earn\n/],
  ])('is explained to operators when points paid $%i of $108: %s', async (amount, line) => {
    shopper = await newShopper(world, 20_000);
    await spend(redeemId, amount);
    await settle();
    await report();
    await settle();

    const { out } = await commandLineOf(world.table).read('member', 'why', order, '--of', 'Corner Coffee');
    expect(out).toMatch(line);
    expect(out).not.toContain('Decisions that gave nothing');
  });

  it('loses its reward when the points are paid after the order was rewarded', async () => {
    await report();
    await settle();
    await count();
    expect(await outcome()).toEqual([5_200, 10_000]);
    await spend(redeemId, 27);
    await settle();
    expect(await outcome()).toEqual([5_000 - 2_700 + 150, 7_500]);
    const { transactions } = await readBooks(world.table);
    const own = transactions.filter(({ userId }) => userId === shopper.id);
    const paying = own.find(({ type }) => type === 'REDEEM');
    expect(own.find(({ reverses }) => reverses)).toMatchObject({ points: 50, reverses: { refundUuid: paying?.uuid } });
  });

  it('earns nothing when payment and order are processed at the same time', async () => {
    await spend(redeemId, 27);
    await report();
    await settle();
    await count();
    await settle();
    await count();
    expect(await outcome()).toEqual([5_000 - 2_700 + 150, 7_500]);
  });

  it('earns nothing when the order was read before the points were paid', async () => {
    await spend(redeemId, 27);
    await settle();
    await report();
    class Stale extends SpendCounter {
      #isFirst = true;
      override async find(...key: Parameters<SpendCounter['find']>) {
        const found = this.#isFirst ? undefined : await super.find(...key);
        this.#isFirst = false;
        return found;
      }
    }
    for (const event of await outboxEvents(world)) {
      if (event.name !== 'order_received' || handled.has(event.id)) continue;
      handled.add(event.id);
      const spendCounter = new Stale(world.platform.table);
      await settleOrder(InternalEvent.parse(event), { ...world.platform, spend: spendCounter });
    }
    await settle();
    await count();
    expect(await outcome()).toEqual([5_000 - 2_700 + 150, 7_500]);
  });
});

/** Reports a payment for the order. Returns a function that reports a refund of this payment. Amounts are in cents. */
async function pay(amount: number) {
  const payment_id = randomUUID();
  const customer = { external_id: shopper.externalId };
  const send = (kind: string, detail: object) =>
    ingest(world, canonicalText(world, kind, { payment_id, currency: 'USD', ...detail }));
  await send('payment.completed', { amount, order_id: order, customer });
  return (cents: number) => send('refund.completed', { refund_id: randomUUID(), amount: cents });
}

describe('an order paid with points and money', () => {
  it.each([
    ['before the order was reported', async () => spend(redeemId, 27), async () => 0],
    ['after the refund', async () => 0, async () => spend(redeemId, 27)],
  ])('loses its whole reward when all money is refunded and points were paid %s', async (_, before, after) => {
    await before();
    await settle();
    await report();
    await settle();
    const refundPayment = await pay(8_100);
    await settle();
    await refundPayment(8_100);
    await settle();
    await after();
    await settle();
    await settle();
    // Nothing is left of the purchase, so all paid points come back.
    expect((await outcome())[0]).toBe(5_000);
  });

  it('loses half of its reward, and returns half of the paid points, when half of the money is refunded', async () => {
    await spend(redeemId, 27);
    await settle();
    await report();
    await settle();
    const refundPayment = await pay(8_100);
    await settle();
    await refundPayment(4_050);
    await settle();
    expect((await outcome())[0]).toBe(5_000 - 1_350 + 75);
  });

  it.each([
    ['the money', 8_100],
    ['the money and the points', 10_800],
  ])(
    'earns on the part of the eligible amount that money paid when the payment platform reported %s first',
    async (_, amount) => {
      await pay(amount);
      await settle();
      await spend(redeemId, 27);
      await settle();
      await report();
      await settle();
      await count();
      await settle();
      expect((await outcome())[0]).toBe(5_000 - 2_700 + 150);
    },
  );
});

describe('a token of endpoint 1', () => {
  it('earns on what was not paid with points', async () => {
    await spend(redeemId, 20);
    await settle();
    expect(await spend(earnId, 100)).toBe(1);
    await settle();
    await count();
    await settle();
    expect(await outcome()).toEqual([5_000 - 2_000 + 160, 8_000]);
  });

  it('is refused when everything was paid with points', async () => {
    await spend(redeemId, 20);
    await settle();
    expect(await spend(earnId, 20)).toBe(4);
    await count();
    await settle();
    expect(await outcome()).toEqual([3_000, 0]);
  });

  it('loses its reward when points later pay for everything', async () => {
    await spend(earnId, 20);
    await settle();
    await spend(redeemId, 20);
    await settle();
    await count();
    await settle();
    expect(await outcome()).toEqual([3_000, 0]);
  });
});

describe('a reward whose reversal the program rejects', () => {
  /** Reverses the reward. The program does not answer until `reject` is called. */
  async function reverse() {
    const { rewards = [] } = (await world.platform.claims.find(claimKeyOfEarning())) ?? {};
    const [reversal] = await reverseByOperator(
      { id: String(rewards[0]?.id), reason: 'A wrong campaign' },
      world.platform,
    );
    for (const { id, entityId } of await outboxEvents(world)) if (entityId === reversal?.uuid) handled.add(id);
    const legs = reversal ? [reversal] : [];
    const answer = { kind: 'rejected', rejectedId: reversal?.id ?? 0, reason: 'closed today' } as const;
    return () => finalizeTransactions({ legs, answer }, world.platform);
  }

  it('is reduced for a payment with points before the rejection', async () => {
    await report();
    await settle();
    const reject = await reverse();
    await spend(redeemId, 27);
    await settle();
    await count();
    await settle();
    expect(await reject()).toBe(true);
    await settle();
    expect((await outcome())[0]).toBe(5_000 - 2_700 + 150);
  });

  it('is reduced for a refund by the merchant before the rejection', async () => {
    await report();
    await settle();
    const reject = await reverse();
    await refund(5_400);
    await settle();
    expect(await reject()).toBe(true);
    await settle();
    expect((await outcome())[0]).toBe(5_000 + 100);
  });

  it('is reversed after a full refund before the rejection', async () => {
    await report();
    await settle();
    const reject = await reverse();
    await refund(10_800);
    await settle();
    expect(await reject()).toBe(true);
    await settle();
    expect((await outcome())[0]).toBe(5_000);
  });

  it('is reduced for a refund by the payment platform before the rejection', async () => {
    await report();
    await settle();
    const refundPayment = await pay(10_800);
    await settle();
    const reject = await reverse();
    await refundPayment(5_400);
    await settle();
    expect(await reject()).toBe(true);
    await settle();
    expect((await outcome())[0]).toBe(5_000 + 100);
  });
});

it('reward, payment with points and refunds give the same result in any sequence', async () => {
  type Step = 'report' | 'redeem' | 'refund' | 'settle' | 'count';
  const steps = fc.shuffledSubarray<Step>(['redeem', 'refund', 'refund', 'settle', 'settle', 'count', 'count'], {
    minLength: 7,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      shopper = await newShopper(world, 5_000);
      order = randomUUID();
      await report();
      for (const step of history) {
        if (step === 'redeem') await spend(redeemId, 27);
        if (step === 'refund') await refund(2_700);
        if (step === 'settle') await settle();
        if (step === 'count') await count();
      }
      await settle();
      await count();
      await settle();
      // Half of the order is refunded: 75 points of the reward stay, and half of the paid points come back.
      expect(await outcome()).toEqual([5_000 - 1_350 + 75, 3_750]);
    }),
    { numRuns: 8 },
  );
}, 120_000);

describe('a refund by the merchant', () => {
  it('counts when it arrives while the refund by the payment platform is written', async () => {
    await spend(redeemId, 40);
    await settle();
    await report();
    await settle();
    const refundPayment = await pay(6_800);
    await settle();
    await refundPayment(6_800);
    const due = (await outboxEvents(world)).find(({ id, name }) => name === 'payment_changed' && !handled.has(id));

    class Meanwhile extends Reversals {
      #isFirst = true;
      override async settle(...all: Parameters<Reversals['settle']>) {
        if (this.#isFirst) await refund(10_800);
        this.#isFirst = false;
        await super.settle(...all);
      }
    }
    const reversals = new Meanwhile(world.platform.table);
    await settlePayment({ entityId: due?.entityId ?? '' }, { ...world.platform, reversals });
    await settle();
    expect(await outcome()).toEqual([5_000, 0]);
  });
});
