import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { timingMs } from '../../shared/contracts/limits.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import { reverseByOperator } from '../../shared/operations/ledger/manage-transactions.ts';
import { finalizeTransactions } from '../../shared/operations/posting/finalize-transactions.ts';
import { settlePurchase } from '../../shared/operations/purchase/settle-purchase.ts';
import { checkPurchase } from '../../shared/operations/reconcile/check-purchase.ts';
import { keyOfPurchase, purchaseName } from '../../shared/store/member/spend.ts';
import { orderKey } from '../../shared/store/order/orders.ts';
import type { Changes, Key } from '../../shared/store/table/table-client.ts';
import { changePartnership } from '../support/campaigns.ts';
import { countStream } from '../support/count-stream.ts';
import { anOrderBody, confirmAll, orderOf, postOrder, postRefund } from '../support/order-story.ts';
import { canonicalText, connectAccounts, ingest, settleAnnounced, stripeText } from '../support/payment-story.ts';
import { settleOrder, settleRefund } from '../support/settle.ts';
import { ask, createBy, newShopper, type Shopper } from '../support/shoppers.ts';
import { makeWorld, type World, withSources } from '../support/world.ts';

/** Finds rewards of purchases that are not what they should be, an hour after the last change. */

let world: World;
let shopper: Shopper;
let order: string;
beforeAll(async () => {
  world = await makeWorld();
  await connectAccounts(world);
});
beforeEach(async () => {
  shopper = await newShopper(world, 5_000);
  order = randomUUID();
});

const keyOf = () => ({ merchantId: world.demo.merchant.id, externalTransactionId: order });
const headKey = () => keyOfPurchase(purchaseName(keyOf()));

/** Checks the purchase, an hour later by default. Returns what it found without the subject. */
async function check(laterMs = timingMs.toleratedPending + 60_000): Promise<string[]> {
  const later = withSources(world, { now: () => new Date(Date.now() + laterMs) });
  const found = await checkPurchase({ key: keyOf() }, later);
  const subject = `purchase ${order} of merchant ${world.demo.merchant.id}: `;
  expect(found.map(({ subject: own }) => `${own}: `)).toEqual(found.map(() => subject));
  return found.map((one) => mismatchText(one).replace(subject, ''));
}

const damage = (key: Key, changes: Changes) => world.platform.table.write({ kind: 'update', key, changes });

/** Reports the order: $108, of which $100 may earn two points for each dollar. The program confirms the reward. */
async function buy() {
  const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: order });
  const reported = await orderOf(world, await postOrder(world, body));
  await settleOrder({ entityId: reported.uuid }, world.platform);
  await confirmAll(world);
  await countStream(world);
  return reported;
}

/** Refunds a part of the order, and applies the refund. */
async function refund(uuid: string, amount: number, { isLost = false } = {}): Promise<void> {
  await postRefund(world, uuid, { refund_external_id: randomUUID(), amount });
  if (isLost) return;
  await settleRefund({ entityId: uuid }, world.platform);
  await confirmAll(world);
}

async function pay(captured: number): Promise<void> {
  const payment = { payment_id: `pay-${order}`, order_id: order, customer: { external_id: shopper.externalId } };
  const capture = { capture_id: randomUUID(), amount: captured, currency: 'USD' };
  expect(await ingest(world, canonicalText(world, 'payment.completed', { ...payment, ...capture }))).toEqual([]);
}

async function rewardOf(): Promise<RewardTransaction> {
  const found = await world.platform.orders.findByExternalId({
    merchantId: keyOf().merchantId,
    externalOrderId: order,
  });
  const reward = await world.platform.transactions.find(found?.transactionIds[0] ?? 0);
  if (!reward) throw new Error('the order has no reward');
  return reward;
}

describe('the check of a purchase', () => {
  it('finds nothing in a purchase that is settled', async () => {
    const { uuid } = await buy();
    expect(await check()).toEqual([]);
    await refund(uuid, 2_700);
    expect(await check()).toEqual([]);
    await refund(uuid, 8_100);
    expect(await check()).toEqual([]);
  });

  it('finds a reversal that is due for an hour, and no younger one', async () => {
    const { uuid } = await buy();
    await refund(uuid, 5_400, { isLost: true });
    const { id } = await rewardOf();

    expect(await check(timingMs.toleratedPending - 60_000)).toEqual([]);
    expect(await check()).toEqual([
      `points of transaction ${id} (EARN), bought 10000 cents, 5000 of them gone: 200 is not 100`,
      'money of its head (cents): 10000 is not 5000',
    ]);
    await settlePurchase({ name: 'purchase_changed', entityId: (await rewardOf()).uuid }, world.platform);
    expect(await check()).toEqual([]);
  });

  it('finds a restoration that is due', async () => {
    const { uuid } = await buy();
    await refund(uuid, 5_400);
    const { id, refunds } = await rewardOf();
    await damage({ pk: `TRANSACTION#${id}`, sk: 'TRANSACTION' }, { set: { refunds: { ...refunds, points: 150 } } });

    expect(await check()).toEqual([
      `points of transaction ${id} (EARN), bought 10000 cents, 5000 of them gone: 50 is not 100`,
    ]);
  });

  it('finds points of a redemption that are to be returned', async () => {
    await createBy(shopper, await ask(shopper, { campaignId: world.demo.campaigns.redeem, amount: 8, order }));
    await settleAnnounced(world);
    const { uuid } = await buy();
    await settleAnnounced(world);
    expect(await check()).toEqual([]);
    await refund(uuid, 5_400, { isLost: true });

    expect(await check()).toContainEqual(
      expect.stringMatching(
        /^points of transaction \d+ \(REDEEM\), bought \d+ cents, \d+ of them gone: 800 is not 400$/,
      ),
    );
  });

  it('finds growth that no transaction and no limit explains', async () => {
    await pay(3_000);
    await settleAnnounced(world);
    expect(await check()).toEqual([]);
    await pay(7_000);

    const { earn } = world.demo.campaigns;
    expect(await check()).toContainEqual(
      `points of campaign ${earn} without a transaction, bought 10000 cents, 0 of them gone: 140 is not 0`,
    );
    const head = await world.platform.spend.find(keyOf());
    const reward = await world.platform.transactions.find(head?.transactionIds[0] ?? 0);
    const name = `${earn}#${reward?.flowId}#${reward?.actionId}`;
    await damage(headKey(), { set: { forgone: { [name]: 140 } } });
    expect((await check()).join()).not.toContain('without a transaction');
  });

  it('finds nothing when two payments turn out to be one payment of the order', async () => {
    const [intent, charge] = [`pi_${order}`, `ch_${order}`];
    const money = { currency: 'usd', amount: 10_000, metadata: { merchant_external_id: shopper.externalId } };
    const ingestAndSettle = async (type: string, object: object) => {
      expect(await ingest(world, stripeText(type, { ...money, ...object }))).toEqual([]);
      await settleAnnounced(world);
    };
    const paid = { id: intent, amount_received: 10_000 };
    await ingestAndSettle('payment_intent.succeeded', paid);
    const captured = { id: charge, captured: true, status: 'succeeded' };
    await ingestAndSettle('charge.succeeded', { ...captured, payment_intent: null });
    await ingestAndSettle('charge.succeeded', { ...captured, payment_intent: intent });
    await ingestAndSettle('payment_intent.succeeded', { ...paid, metadata: { order_id: order } });
    await countStream(world);

    expect((await world.platform.spend.find(keyOf()))?.paymentUuids).toHaveLength(2);
    expect(await check()).toEqual([]);
  });

  it('finds a head that differs from the money that is left', async () => {
    await buy();
    await damage(headKey(), { set: { netCents: 9_000, countedCents: 9_000 } });
    expect(await check()).toEqual(['money of its head (cents): 9000 is not 10000']);
  });

  it('leaves out a head of an earlier release', async () => {
    const { uuid } = await buy();
    await refund(uuid, 5_400, { isLost: true });
    await damage(headKey(), { remove: ['campaignIds'] });
    expect(await check()).toEqual([]);
  });

  it('finds no violation in a move that waits for the program', async () => {
    const body = anOrderBody({ user: { merchant_external_id: shopper.externalId }, order_external_id: order });
    const { uuid } = await orderOf(world, await postOrder(world, body));
    await settleOrder({ entityId: uuid }, world.platform);
    await countStream(world);
    await postRefund(world, uuid, { refund_external_id: randomUUID(), amount: 10_800 });
    await settleRefund({ entityId: uuid }, world.platform);
    expect((await rewardOf()).state).toBe('PENDING');
    expect(await check()).toEqual([]);
  });

  it('finds no violation in a reversal that the program rejected, until the purchase changes again', async () => {
    const { uuid } = await buy();
    await postRefund(world, uuid, { refund_external_id: randomUUID(), amount: 5_400 });
    await settleRefund({ entityId: uuid }, world.platform);
    const reward = await rewardOf();
    const reversal = await reversalOf(reward);
    const answer = { kind: 'rejected', rejectedId: reversal.id, reason: 'account closed' } as const;
    await finalizeTransactions({ legs: [reversal], answer }, world.platform);

    expect((await rewardOf()).refunds).toMatchObject({ points: 0, isRefused: true });
    expect(await check()).toEqual([]);
    await refund(uuid, 2_700, { isLost: true });
    expect(await check()).toContainEqual(expect.stringContaining('200 is not 50'));
  });

  it('finds no violation in what an operator reversed', async () => {
    await buy();
    await reverseByOperator({ id: (await rewardOf()).uuid, reason: 'Fraud' }, world.platform);
    await confirmAll(world);
    expect(await check()).toEqual([]);
  });

  it('finds no violation in what a policy keeps', async () => {
    await changePartnership(world, { reversalPolicy: 'only_pending' });
    const { uuid } = await buy();
    await refund(uuid, 5_400);
    const found = await check();
    await changePartnership(world, { reversalPolicy: 'within_balance' });
    expect(found).toEqual([]);
  });

  it('reports a book that it cannot read, and no value of it', async () => {
    const { merchantId } = keyOf();
    await buy();
    await damage(orderKey({ merchantId, externalOrderId: order }), { set: { totalCents: 'secret' } });
    expect(await check()).toEqual(['its book: totalCents: invalid_type is not readable']);
  });
});

async function reversalOf({ id }: RewardTransaction): Promise<RewardTransaction> {
  for await (const item of world.table.mirror.read(['transaction'])) {
    const { reverses } = item as Partial<RewardTransaction>;
    const found = reverses?.id === id ? await world.platform.transactions.find(Number(item.id)) : undefined;
    if (found) return found;
  }
  throw new Error(`nothing reverses transaction ${id}`);
}
